"""Connections to the servers of tools/cluster that can fall silent: a server that is cut off has its connections open, and not
a byte comes or goes. Connections from server to server and from clients pass by here.
"""

import re
import selectors
import socket
import threading

PIECE = 1 << 16
MOST_WAITING = 1 << 20  # bytes that one side has not taken yet


class Link:
    """One connection: two sockets, and who is at its ends: the number of a server, or "client"."""

    def __init__(self, near, far, target):
        self.near, self.far, self.target = near, far, target
        self.origin = "client"
        self.waiting = {near: bytearray(), far: bytearray()}  # by the socket that it goes to

    def other(self, side):
        return self.far if side is self.near else self.near


class SilentProxy(threading.Thread):
    """`ports`: (port to listen on, port of the server, its number). cut(), heal() and end() may come from any thread."""

    def __init__(self, ports):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()
        self.links, self.silent, self.calls = set(), set(), []
        self.near_wake, self.far_wake = socket.socketpair()
        self.selector.register(self.near_wake, selectors.EVENT_READ, None)
        self.ending = False
        for port, to, number in ports:
            listener = socket.create_server(("127.0.0.1", port), backlog=64)
            listener.setblocking(False)
            self.selector.register(listener, selectors.EVENT_READ, (to, number))
        self.start()

    def call(self, what):
        self.calls.append(what)
        self.far_wake.send(b"x")

    def cut(self, number):
        """Server `number` is reached by nobody and reaches nobody."""
        self.call(lambda: self.silent.add(number))

    def heal(self, number, broken):
        """It is reached again. `broken`: its connections end instead of going on."""
        def healed():
            self.silent.discard(number)
            for link in [link for link in self.links if broken and number in (link.origin, link.target)]:
                self.close(link)
        self.call(healed)

    def end(self):
        self.call(lambda: setattr(self, "ending", True))
        self.join()

    def is_silent(self, link):
        return link.origin in self.silent or link.target in self.silent

    def run(self):
        while not self.ending:
            for link in list(self.links):
                self.watch(link)
            for key, events in self.selector.select(0.5):
                if key.fileobj is self.near_wake:
                    self.near_wake.recv(PIECE)
                elif isinstance(key.data, tuple):
                    self.accept(key.fileobj, *key.data)
                elif key.data in self.links:
                    self.carry(key.data, key.fileobj, events)
            while self.calls:
                self.calls.pop(0)()
        for link in list(self.links):
            self.close(link)
        self.selector.close()

    def accept(self, listener, port, number):
        near = listener.accept()[0]
        near.setblocking(False)
        try:
            far = socket.create_connection(("127.0.0.1", port), timeout=1)
        except OSError:
            near.close()
            return
        far.setblocking(False)
        self.links.add(Link(near, far, number))

    def watch(self, link):
        """What is waited for on both sides; nothing while the link is silent."""
        for side in (link.near, link.far):
            events = 0
            if not self.is_silent(link):
                events |= selectors.EVENT_READ if len(link.waiting[link.other(side)]) < MOST_WAITING else 0
                events |= selectors.EVENT_WRITE if link.waiting[side] else 0
            known = side in self.selector.get_map()
            if known and not events:
                self.selector.unregister(side)
            elif events and not known:
                self.selector.register(side, events, link)
            elif events and self.selector.get_key(side).events != events:
                self.selector.modify(side, events, link)

    def carry(self, link, side, events):
        try:
            if events & selectors.EVENT_READ:
                piece = side.recv(PIECE)
                if not piece:
                    return self.close(link)
                if side is link.near and (name := re.search(rb'"server_name":"paco(\d+)"', piece)):
                    link.origin = int(name.group(1))
                link.waiting[link.other(side)] += piece
            if events & selectors.EVENT_WRITE:
                del link.waiting[side][:side.send(link.waiting[side])]
        except BlockingIOError:
            pass
        except OSError:
            self.close(link)

    def close(self, link):
        self.links.discard(link)
        for side in (link.near, link.far):
            if side in self.selector.get_map():
                self.selector.unregister(side)
            side.close()
