"""Fills docs/reference/performance.md and README.md with the figures of bench/results and draws the plots. No figure is copied by
hand; `render.py --check` changes nothing and fails if a document differs from the results.

Everything between `<!-- NAME -->` and `<!-- /NAME -->` is replaced by what the function `NAME` below returns. A question whose
result file is absent leaves its part as it is.
"""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PLOTS = ROOT / "docs" / "reference" / "plots"
DOCUMENTS = [ROOT / "docs" / "reference" / "performance.md", ROOT / "README.md"]
COLOURS = ["#1b6ca8", "#c8553d", "#3f7d20", "#7b4b94", "#8a6d3b"]


def load(question):
    path = RESULTS / f"{question}.json"
    return json.loads(path.read_text()) if path.exists() else None


def rows(question, **wanted):
    return [r for r in load(question)["rows"] if all(r.get(k) == v for k, v in wanted.items())]


def time_text(microseconds):
    for limit, divisor, unit in ((1, 1e-3, "ns"), (1e3, 1, "us"), (1e6, 1e3, "ms"), (math.inf, 1e6, "s")):
        if microseconds < limit:
            return f"{microseconds / divisor:.3g} {unit}"


def share_text(value):
    return "" if value is None else f"{100 * value:.3g} %" if value < 10 else f"{100 * value:.0f} %"


def table(header, lines):
    out = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(out + ["| " + " | ".join(str(c) for c in line) + " |" for line in lines])


def peak_line(question):
    peak = load(question)["peak"]
    return (f"Limits in the same run: sgemm {peak['sgemm_gflops']:.0f} GFLOP/s, memory "
            f"{peak['memory_gb_per_second']:.1f} GB/s.")


def timings(question, first="contender"):
    lines = [(r["contender"], r["shape"], time_text(r["microseconds_per_item"]), share_text(r.get("share_of_sgemm")),
              share_text(r.get("share_of_memory"))) for r in load(question)["rows"]]
    return table((first, "shape", "time per item", "of sgemm's peak", "of memory bandwidth"), lines) + "\n\n" + \
        peak_line(question)


def machine():
    m = load("machine")
    return (f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB; kernels {m['kernels']}; {m['blas']}; GCC "
            f"{m['compiler']}; commit `{m['commit']}`; load when it began {m['load_at_start']:.2f}.")


def targets():
    block = rows("decide_block", contender="paco block 256")[0]
    single = rows("decide_single", contender="paco")[0]
    cub = rows("calibrate", contender="paco", shape="cub")[0]
    imagenet = rows("calibrate", contender="paco", shape="imagenet-100")[0]
    memory = [r for r in load("growth")["rows"] if r.get("axis") == "categories, d 768" and "bytes_per_category" in r]
    lines = []

    def line(work, target, measured, met):
        lines.append((work, target, measured, "yes" if met else "**no**"))

    line("blocks, Cars shape", "10 us a sample", time_text(block["microseconds_per_item"]),
         block["microseconds_per_item"] <= 10)
    line("blocks, Cars shape", "40 % of sgemm's peak", share_text(block["share_of_sgemm"]), block["share_of_sgemm"] >= 0.4)
    line("one sample at a time, Cars shape", "40 us median", time_text(single["microseconds_per_item"]),
         single["microseconds_per_item"] <= 40)
    line("one sample at a time, Cars shape", "p99 under 3 medians", f"{single['p99_over_median']:.2f}",
         single["p99_over_median"] < 3)
    line("one sample at a time, Cars shape", "2 readings of the prototypes from cache",
         f"{single['median_over_reread']:.2f}", single["median_over_reread"] <= 2)
    line("calibration, CUB shape", "20 ms", time_text(cub["microseconds_per_item"]), cub["microseconds_per_item"] <= 2e4)
    line("calibration, ImageNet-100 shape", "300 ms", time_text(imagenet["microseconds_per_item"]),
         imagenet["microseconds_per_item"] <= 3e5)
    line("calibration, ImageNet-100 shape", "3 times its matrix products", f"{imagenet['over_products']:.2f}",
         imagenet["over_products"] <= 3)
    if load("end_to_end"):
        ends = rows("end_to_end", contender="paco", threads=1)[0]
        line("CUB files to decisions, one thread", "20 times faster than NumPy", f"{ends['times_faster']:.1f} times",
             ends["times_faster"] >= 20)
    if load("start"):
        short = rows("start", contender="paco discover")[0]
        line("`paco discover` on 274 samples, start to end", "15 ms", f"{1e3 * short['seconds']:.1f} ms",
             short["seconds"] <= 0.015)
    if load("busy"):
        worst = min(load("busy")["rows"], key=lambda r: r["kept"])
        line(f"one core taken by another process: `paco {worst['contender']}`, the worst verb", "55 % of the quiet rate",
             share_text(worst["kept"]), worst["kept"] >= 0.55)
    if load("pipe"):
        for kind in ("npy", "csv", "jsonl"):
            piped = rows("pipe", contender=f"{kind} through a pipe")[0]
            line(f"one sample after the other through a pipe, {kind}", "2 times the engine", f"{piped['times_the_engine']:.2f}",
                 piped["times_the_engine"] <= 2)
    if load("embed"):
        one, two = (rows("embed", contender=c, shape="vit_ti16")[0] for c in ("float32, 1 thread", "float32, 2 threads"))
        line("images with ViT-Tiny, float32, one thread", "80 % of sgemm's peak", share_text(one["share_of_sgemm"]),
             one["share_of_sgemm"] >= 0.8)
        gain = two["images_per_second"] / one["images_per_second"]
        line("images with ViT-Tiny, float32, two threads", "1.8 times one", f"{gain:.2f} times", gain >= 1.8)
    if memory:
        most = max(r["bytes_per_category"] for r in memory if r["at"] >= 10000)
        promised = memory[0]["promised_bytes"]
        line("memory per category, d 768", f"{promised} bytes", f"{most:.0f} bytes", most <= promised)
    if load("gpu"):
        for r in rows("gpu", contender="paco", backbone="vit_b16"):
            eager = on_gpu(r, "pytorch")
            if eager:
                line(f"{r['what']}, ViT-B/16 on a GPU", "1.3 times eager PyTorch", f"{r['images_per_second'] / eager:.2f} times",
                     r["images_per_second"] >= 1.3 * eager)
    return table(("work", "target", "measured", "met"), lines)


def decide_single():
    lines = [(r["contender"], time_text(r["microseconds_per_item"]), time_text(1e6 * r["p99_seconds"]), r["prototypes"],
              f"{r['median_over_reread']:.2f}", share_text(r["share_of_sgemm"])) for r in load("decide_single")["rows"]]
    return table(("contender", "median", "p99", "prototypes at the end", "readings of the prototypes", "of sgemm's peak"),
                 lines) + "\n\n" + peak_line("decide_single")


def decide_block():
    lines = [(r["contender"], time_text(r["microseconds_per_item"]), share_text(r["share_of_sgemm"]), r["prototypes"])
             for r in load("decide_block")["rows"]]
    return table(("contender", "per sample", "of sgemm's peak", "prototypes at the end"), lines) + "\n\n" + \
        peak_line("decide_block")


def end_to_end():
    def times(row, key):
        return f"{row[key]:.1f}" if key in row else ""

    lines = [(r["contender"], r["threads"], f"{r['seconds']:.3f} s", times(r, "times_faster"),
              f"{1e3 * r['calibration_seconds']:.1f} ms" if "calibration_seconds" in r else "",
              times(r, "calibration_times_faster")) for r in load("end_to_end")["rows"]]
    return table(("contender", "threads", "files to decisions", "times faster", "calibration alone", "times faster"), lines)


def start():
    lines = [(f"`{r['contender']}`" if r["contender"] != "nothing" else "a process that does nothing",
              f"{1e3 * r['seconds']:.1f} ms", f"{1e3 * r['processor_seconds']:.1f} ms") for r in load("start")["rows"]]
    return table(("contender", "from start to end", "of the processor"), lines)


def pipe():
    def optional(row, key):
        return time_text(row[key]) if key in row else ""

    lines = [(r["contender"], time_text(r["microseconds_per_item"]), f"{r['times_the_engine']:.2f}",
              optional(r, "reading_microseconds"), optional(r, "processor_microseconds")) for r in load("pipe")["rows"]]
    return table(("contender", "per sample", "times the engine", "reading alone", "of the processor"), lines)


def large():
    words = {"deciding": "`paco discover` with csv and trace", "bytes alone": "the bytes of the decisions alone"}
    lines = [(words.get(r["contender"], f"`{r['contender']}`"), f"{r['seconds']:.2f} s", f"{r['processor_seconds']:.2f} s",
              f"{r['peak_bytes'] / 1e6:.0f} MB") for r in load("large")["rows"]]
    return table(("contender", "time", "of the processor", "most memory"), lines)


def busy():
    lines = [(f"`paco {r['contender']}`", r["threads"], f"{r['quiet_seconds']:.2f} s", f"{r['busy_seconds']:.2f} s",
              share_text(r["kept"]), share_text(r["kept_with_fewer"])) for r in load("busy")["rows"]]
    return table(("verb", "threads", "quiet", "one core taken", "of the quiet rate", "on one core fewer"), lines)


def python():
    words = {"C++ block": "C++, in blocks", "C++ single": "C++, one by one", "single": "`decide`, float64"}
    lines = [(words.get(r["contender"], f"`decide_many`, {r['contender']}"), time_text(r["microseconds"]),
              share_text(r.get("share_of_native_speed")),
              time_text(r["microseconds_over_native"]) if "microseconds_over_native" in r else "")
             for r in load("python")["rows"]]
    return table(("contender", "a decision", "of the C++ speed", "over the C++ call"), lines)


def journal():
    lines = [(r["contender"], r["shape"], time_text(r["microseconds_per_item"]), share_text(r.get("share_of_plain")))
             for r in load("journal")["rows"]]
    return table(("contender", "shape", "per sample", "of plain writing"), lines)


def embed():
    lines = [(r["shape"], r["contender"], f"{r['images_per_second']:.3g}", share_text(r["share_of_sgemm"]),
              f"{r['relative_error']:.1e}") for r in load("embed")["rows"]]
    return table(("network", "contender", "images a second", "of sgemm's peak", "relative error"), lines) + "\n\n" + peak_line("embed")


def nearest():
    lines = [(r["contender"], r["shape"], time_text(r["microseconds_per_item"]), share_text(r.get("share_of_sgemm")),
              f"{r['recall']:.3f}", time_text(r["build_microseconds_per_prototype"])
              if "build_microseconds_per_prototype" in r else "") for r in load("nearest")["rows"]]
    return table(("contender", "prototypes", "per query", "of sgemm's peak", "recall", "to insert one"), lines) + "\n\n" + \
        peak_line("nearest")


def calibrate():
    lines = [(r["contender"], r["shape"], time_text(r["microseconds_per_item"]), share_text(r.get("share_of_sgemm")),
              f"{r['over_products']:.2f}" if "over_products" in r else "") for r in load("calibrate")["rows"]]
    return table(("contender", "shape", "time", "of sgemm's peak", "times its products"), lines) + "\n\n" + \
        peak_line("calibrate")


def match():
    return timings("match")


def read():
    return timings("read")


def adaptive_boundary():
    lines = [(r["contender"], r["shape"], time_text(r["microseconds_per_item"]))
             for r in load("adaptive_boundary")["rows"]]
    return table(("contender", "mature", "per sample"), lines)


def survivors():
    lines = [(r["shape"], r["prototypes"], r["d"], r["places"], share_text(r["pivots"]), share_text(r["plain_head"]),
              share_text(r["head_eighth"]), share_text(r["head_quarter"]), share_text(r["int8"]))
             for r in rows("screening", contender="survivors")]
    return table(("prototypes", "count", "d", "places", "pivots", "d/4 coordinates", "d/8 directions", "d/4 directions",
                  "8 bits"), lines)


def groups():
    lines = [(r["shape"], f"{r['prototypes']:,}", r["d"], f"{r['groups']:,}", f"{r['radius_degrees']:.0f}°",
              f"{r['bar_degrees']:.0f}°", share_text(r["left"])) for r in rows("screening", contender="groups")]
    if not lines:
        raise IndexError("no groups in the results")
    return table(("prototypes", "count", "d", "groups", "radius", "second nearest", "left to look at"), lines)


def screening():
    lines = [(r["shape"], r["contender"], time_text(r["microseconds_per_item"]), share_text(r.get("exact_share")))
             for r in load("screening")["rows"] if r["contender"] not in ("survivors", "groups")]
    return table(("prototypes", "search", "per query", "scored in double"), lines) + "\n\n" + peak_line("screening")


def growth_table(axis, name):
    lines = [(f"{r['at']:,}", r["contender"], time_text(r["microseconds_per_item"]), share_text(r.get("share_of_sgemm")),
              share_text(r.get("share_of_memory"))) for r in rows("growth", axis=axis) if r["contender"] != "memory"]
    return table((name, "how", "per sample", "of sgemm's peak", "of memory bandwidth"), lines)


def growth_classes():
    return growth_table("known classes", "known classes")


def growth_dimension():
    return growth_table("dimensions", "d")


def growth_categories():
    return growth_table("categories, d 128", "categories, d = 128") + "\n\n" + \
        growth_table("categories, d 768", "categories, d = 768")


def growth_memory():
    lines = [(r["axis"].split("d ")[1], f"{r['at']:,}", f"{r['bytes_per_category']:.0f}", r["promised_bytes"])
             for r in rows("growth", contender="memory")]
    return table(("d", "categories", "bytes per category, measured", "promised at most"), lines)


def growth_stream():
    lines = [(f"{r['at']:,}", time_text(r["microseconds_per_item"]), r["prototypes"], f"{r['resident_bytes'] / 2**20:.1f} MiB")
             for r in rows("growth", axis="samples")]
    return table(("samples so far", "per sample", "prototypes", "resident memory"), lines)


def on_gpu(row, contender):
    """The rate of another contender at the same work, or None."""
    same = [r["images_per_second"] for r in rows("gpu", contender=contender, **{k: row[k] for k in ("backbone", "batch", "what")})]
    return same[0] if same else None


def gpu():
    lines = []
    for r in rows("gpu", contender="paco"):
        ours, eager, compiled = r["images_per_second"], on_gpu(r, "pytorch"), on_gpu(r, "torch.compile")
        lines.append((r["backbone"], r["batch"], r["what"], f"{ours:,.0f}", f"{eager:,.0f}" if eager else "",
                      f"{compiled:,.0f}" if compiled else "", f"{ours / eager:.2f}" if eager else "",
                      f"{ours / compiled:.2f}" if compiled else ""))
    found = load("gpu")
    return table(("network", "batch", "work", "paco", "PyTorch, eager", "torch.compile", "times eager", "times compiled"),
                 lines) + f"\n\nImages per second on one {found['device']}, torch {found['torch']}, commit `{found['commit']}`."


def svg(name, title, x_label, series):
    """A plot with both axes logarithmic. series: {label: [(x, y), ...]}, y in microseconds."""
    width, height, left, right, top, bottom = 640, 360, 70, 150, 34, 46
    points = [p for s in series.values() for p in s]
    x0, x1 = (math.floor(math.log10(min(p[0] for p in points))), math.ceil(math.log10(max(p[0] for p in points))))
    y0, y1 = (math.floor(math.log10(min(p[1] for p in points))), math.ceil(math.log10(max(p[1] for p in points))))
    x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)

    def x(v):
        return left + (math.log10(v) - x0) / (x1 - x0) * (width - left - right)

    def y(v):
        return height - bottom - (math.log10(v) - y0) / (y1 - y0) * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>', f'<text x="{left}" y="20" font-size="14">{title}</text>',
           f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">{x_label}</text>']
    for e in range(x0, x1 + 1):
        out.append(f'<line x1="{x(10**e):.1f}" y1="{top}" x2="{x(10**e):.1f}" y2="{height - bottom}" stroke="#ddd"/>')
        out.append(f'<text x="{x(10**e):.1f}" y="{height - bottom + 16}" text-anchor="middle">{10**e:,}</text>')
    for e in range(y0, y1 + 1):
        out.append(f'<line x1="{left}" y1="{y(10**e):.1f}" x2="{width - right}" y2="{y(10**e):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y(10**e) + 4:.1f}" text-anchor="end">{time_text(10.0**e)}</text>')
    for i, (label, line) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in line]
        out.append(f'<text x="{width - right + 8}" y="{top + 16 + 18 * i}" fill="{colour}">{label}</text>')
    PLOTS.mkdir(parents=True, exist_ok=True)
    (PLOTS / f"{name}.svg").write_text("\n".join(out + ["</svg>"]) + "\n")


def plots():
    if load("growth"):
        def line(axis, contender):
            return [(r["at"], r["microseconds_per_item"]) for r in rows("growth", axis=axis, contender=contender)]

        def both(axis):
            return {"in blocks": line(axis, "paco in blocks"), "one by one": line(axis, "paco one by one")}

        categories = {f"d {d}, {how}": line(f"categories, d {d}", f"paco {how}")
                      for d in (128, 768) for how in ("in blocks", "one by one")}
        for name, title, label, series in (
                ("categories", "Time of a decision against categories", "categories", categories),
                ("classes", "Time of a decision against known classes (d = 128)", "known classes", both("known classes")),
                ("dimension", "Time of a decision against dimension", "dimension", both("dimensions")),
                ("stream", "Time of a decision against the length of the stream", "samples so far",
                 {"in blocks": line("samples", "paco in blocks")})):
            series = {k: v for k, v in series.items() if v}
            if series:
                svg(name, title, label, series)
    if load("adaptive_boundary"):
        series = {c: [(int(r["shape"].split()[0]), r["microseconds_per_item"])
                      for r in rows("adaptive_boundary", contender=c)] for c in ("paco", "sort per sample")}
        svg("boundary", "Keeping the birth boundary, per sample", "mature categories", series)


def speed():
    block = rows("decide_block", contender="paco block 256")[0]
    single = rows("decide_single", contender="paco")[0]
    calibration = rows("calibrate", contender="paco", shape="cub")[0]
    return (f"On one core of an {machine().split(',')[0]} a decision among {single['prototypes']} prototypes of 768 numbers takes "
            f"{time_text(block['microseconds_per_item'])} in blocks and {time_text(single['microseconds_per_item'])} alone (median), "
            f"and calibration on 1,498 samples of 100 classes {time_text(calibration['microseconds_per_item'])} "
            "([Performance](docs/reference/performance.md)).")


def rendered(document):
    text = document.read_text()
    for name in re.findall(r"<!-- (\w+) -->", text):
        try:
            content = globals()[name]()
        except (TypeError, IndexError):  # a result file or a row of it is not there
            print(f"{document.name}: no figures for {name}, left as they were")
            continue
        # Within a sentence the marks stand in its line, else on lines of their own.
        end = "\n" if f"<!-- {name} -->\n" in text else " "
        text = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->",
                      lambda _: f"<!-- {name} -->{end}{content}\n<!-- /{name} -->", text, flags=re.S)
    return text


def main():
    if sys.argv[1:] == ["--check"]:
        stale = [document.name for document in DOCUMENTS if document.read_text() != rendered(document)]
        sys.exit(f"other figures than bench/results has: {', '.join(stale)}; bench/render.py writes them" if stale else 0)
    for document in DOCUMENTS:
        document.write_text(rendered(document))
    plots()


if __name__ == "__main__":
    main()
