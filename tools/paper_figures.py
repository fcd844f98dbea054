"""The figures of the paper's tables, out of its LaTeX text into src/study/paper_figures.csv.

    tools/paper_figures.py PAPER.tex            writes the file anew
    tools/paper_figures.py PAPER.tex --check    exit code 1 unless the file has exactly these figures

One row for each number: table (1 to 7, in the paper's order), protocol, data set, method or variant, what is measured,
the figure, and its deviation over seeds if the paper gives one. Percent, seconds or counts, as printed.
"""

import csv
import io
import pathlib
import re
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "src/study/paper_figures.csv"
COLUMNS = ["table", "protocol", "data", "method", "measure", "value", "deviation"]
LABELS = ["tab:sota_comparison", "tab:pred_acc_count", "tab:ablation_cub_scars", "tab:transfer_ssc",
          "tab:appendix_dataset_stats", "tab:app_seed_errorbar", "tab:app_support_calibration_time"]
SETS = {"CIFAR-10": "cifar10", "CIFAR-100": "cifar100", "ImageNet-100": "imagenet100", "CUB-200-2011": "cub",
        "CUB": "cub", "Stanford Cars": "cars", "SCars": "cars", "Oxford Pets": "pets", "Oxford-IIIT Pet": "pets",
        "Food101": "food101", "Food-101": "food101", "Average": "average"}
METHODS = {"SLC": "slc", "MLDG": "mldg", "RankStat": "rankstat", "WTA": "wta", "SMILE": "smile", "PHE": "phe",
           "DiffGRE-S": "diffgre-s", "DiffGRE-P": "diffgre-p", "SynC": "sync", "AGE": "age", "PACO": "paco",
           "SMILE-16bit": "smile-16", "SMILE-32bit": "smile-32", "PHE-12bit": "phe", "PHE-16bit": "phe-16",
           "PHE-32bit": "phe-32", "AGE+SSC": "age+ssc", "PHE-12bit+SSC": "phe+ssc"}
VARIANTS = {"w/o StatReg": "no statistical loss", "w/o AngMargin": "no angular margin",
            "w/o OldRefSel": "fixed reference", "w/o EvidenceRouting": "no routing",
            "w/o DynBirthTight": "static birth", "PACO(full)": "full"}
SHARES = ["all", "old", "new"]


def plain(cell):
    """A cell without its markup."""
    cell = re.sub(r"\\(cite|cellcolor|rowcolor)\{[^{}]*\}", "", cell)
    cell = re.sub(r"~?\\method\s*~?", "PACO", cell)
    for _ in range(6):
        cell = re.sub(r"\\(?:best|second|underline|textbf|textit|mathbf)\{([^{}]*)\}", r"\1", cell)
    cell = cell.replace(r"\midrule", "").replace(r"\toprule", "").replace("~", "").replace("$", "")
    return cell.strip()


def rows_of(text, label):
    """The rows of the table with this label, as lists of plain cells."""
    start = text.index(r"\label{%s}" % label)
    body = text[text.index(r"\toprule", start):text.index(r"\bottomrule", start)]
    body = re.sub(r"(?<!\\)%.*", "", body)
    body = re.sub(r"\\(?:cmidrule|rowcolor)(?:\([^)]*\))?\{[^{}]*\}", "", body)
    return [[plain(cell) for cell in row.split("&")] for row in body.split(r"\\")]


def numbers(cells):
    return [None if cell in ("--", "") else cell for cell in cells]


def figure(cell):
    """(value, deviation) as printed, without thousands separators."""
    value, _, deviation = cell.replace(",", "").replace("{", "").replace("}", "").partition(r"\pm")
    float(value)
    return value.strip(), deviation.strip()


class Figures:
    def __init__(self):
        self.rows = []

    def add(self, table, protocol, data, method, measures, cells):
        for measure, cell in zip(measures, numbers(cells)):
            if cell is not None:
                self.rows.append([str(table), protocol, data, method, measure, *figure(cell)])


def comparison(text, out):
    sets = ["cifar10", "cifar100", "imagenet100", "cub", "cars", "pets", "food101", "average"]
    protocol = None
    for cells in rows_of(text, LABELS[0]):
        row = " ".join(cells)
        if "Greedy--Hungarian" in row:
            protocol = "greedy"
        if "Strict--Hungarian" in row:
            protocol = "strict"
        if len(cells) != 26 or protocol is None or cells[1] not in METHODS:
            continue
        for i, data in enumerate(sets):
            out.add(1, protocol, data, METHODS[cells[1]], SHARES, cells[2 + 3 * i:5 + 3 * i])


def two_sets(text, table, names, measures, out):
    for cells in rows_of(text, LABELS[table - 1]):
        if len(cells) != 1 + 2 * len(measures) or cells[0] not in names:
            continue
        for i, data in enumerate(["cub", "cars"]):
            out.add(table, "strict", data, names[cells[0]], measures,
                    cells[1 + len(measures) * i:1 + len(measures) * (i + 1)])


def by_set(text, table, groups, out):
    """groups: (protocol, measures) in the order of the columns."""
    width = 1 + sum(len(measures) for _, measures in groups)
    for cells in rows_of(text, LABELS[table - 1]):
        if len(cells) != width or cells[0] not in SETS:
            continue
        at = 1
        for protocol, measures in groups:
            out.add(table, protocol, SETS[cells[0]], "paco", measures, cells[at:at + len(measures)])
            at += len(measures)


def extract(text):
    out = Figures()
    comparison(text, out)
    two_sets(text, 2, METHODS, ["categories", *SHARES], out)
    two_sets(text, 3, VARIANTS, SHARES, out)
    two_sets(text, 4, METHODS, SHARES, out)
    by_set(text, 5, [("", ["classes", "known", "novel", "support", "stream"])], out)
    by_set(text, 6, [("strict", SHARES), ("greedy", SHARES)], out)
    by_set(text, 7, [("", ["total_seconds", "extraction_seconds", "calibration_seconds"])], out)
    return out.rows


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    text = pathlib.Path(sys.argv[1]).read_text()
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    rows = extract(text)
    writer.writerows(rows)
    if "--check" not in sys.argv:
        OUT.write_text(buffer.getvalue())
        print(f"{len(rows)} figures")
        return 0
    ours = OUT.read_text().splitlines()
    theirs = buffer.getvalue().splitlines()
    wrong = [f"only in {OUT.name}: {row}" for row in ours if row not in theirs]
    wrong += [f"only in the paper: {row}" for row in theirs if row not in ours]
    print("\n".join(wrong) if wrong else f"{len(rows)} figures are those of the paper")
    return 1 if wrong else 0


sys.exit(main())
