"""tributary explain, as a user runs it: explain_test.py PROGRAM SOURCE_FOLDER"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
EXAMPLES = SOURCE / "examples" / "explain"
# As docs/explain.md lists them.
FIELDS = {
    "schema", "direction", "strategy", "partitioning", "schedule", "order", "shuffle",
    "two_level", "combined_bytes_max", "sub_buffers", "sub_buffer_bytes", "cycles", "accessed",
    "layout", "reasons",
    "aggregators", "requests", "cost", "program", "job", "hints", "bytes", "active_ranks",
    "independent", "orders",
}


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def written(self, job):
        path = pathlib.Path(self.folder.name) / "job.json"
        path.write_text(job if isinstance(job, str) else json.dumps(job), encoding="utf-8")
        return path

    def explained(self, job, *arguments):
        """The JSON for a job: a dictionary, or the path of a file."""
        path = job if isinstance(job, pathlib.Path) else self.written(job)
        result = run("explain", path, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)


def job(**changes):
    """A job that is fine, with changes; None takes a key away."""
    fine = {"ranks": 4, "direction": "write",
            "access": {"kind": "interleaved", "block": "1KiB", "count": 100},
            "hints": {"tributary_collective": "two_phase"}}
    return {key: value for key, value in {**fine, **changes}.items() if value is not None}


class Examples(Explain):
    def test_every_example_in_both_formats(self):
        examples = sorted(EXAMPLES.glob("*.json"))
        self.assertGreaterEqual(len(examples), 4)
        for example in examples:
            with self.subTest(example=example.name):
                text = run("explain", example, "--orders")
                self.assertEqual((text.returncode, text.stderr), (0, ""))
                self.assertIn("Choices, and why\n  strategy ", text.stdout)
                self.assertFalse([line for line in text.stdout.split("\n") if line != line.rstrip()])
                plan = self.explained(example, "--orders")
                self.assertEqual(set(plan), FIELDS)
                self.assertEqual(plan["schema"], "tributary-plan-1")
                self.assertIn(plan["strategy"], text.stdout)

    def test_the_documents_output_is_the_programs(self):
        page = (SOURCE / "docs" / "explain.md").read_text(encoding="utf-8")
        shown = page.split("```text\n")[1].split("```")[0]
        self.assertEqual(shown, run("explain", EXAMPLES / "hacio.json", "--orders").stdout)

    def test_the_documents_fields_are_the_programs(self):
        page = (SOURCE / "docs" / "explain.md").read_text(encoding="utf-8")
        for field in FIELDS:
            self.assertIn(f"`{field}`", page)

    def test_hacio_costs_24_20_12(self):
        text = run("explain", EXAMPLES / "hacio.json", "--orders").stdout
        self.assertEqual(text.rstrip().split("\n")[-1].split(), "sum 24 sum 20 sum 12".split())
        orders = self.explained(EXAMPLES / "hacio.json", "--orders")["orders"]
        sums = {order: one["cost"]["sum"] for order, one in orders.items()}
        self.assertEqual(sums, {"logical": 24, "concurrency": 20, "heterogeneity": 12})

    def test_many_ranks_take_seconds_at_most(self):
        start = time.monotonic()
        plan = self.explained(EXAMPLES / "large.json")
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(plan["job"]["ranks"], 65536)
        self.assertEqual(plan["bytes"], 4096**3 * 8)
        self.assertEqual(plan["active_ranks"], 65536)


def owner(index, size, parts, distribution):
    """Who has an index of a dimension: the definition, index by index."""
    word, _, argument = distribution.rstrip(")").partition("(")
    if word == "even":
        return next(part for part in range(parts)
                    if index < sum(size // parts + (i < size % parts) for i in range(part + 1)))
    if word == "block":
        return index // (int(argument) if argument else -(-size // parts))
    return index // int(argument or 1) % parts


def spans_of_array(sizes, grid, order, distribution):
    """First byte and length of what each rank of a two-dimensional array touches."""
    spans = {}
    for row in range(sizes[0]):
        for column in range(sizes[1]):
            at = 2 * (row * sizes[1] + column if order == "C" else column * sizes[0] + row)
            place = [owner(index, size, parts, how) for index, size, parts, how in zip(
                (row, column), sizes, grid, distribution or ["even", "even"])]
            rank = place[0] * grid[1] + place[1]
            low, high = spans.get(rank, (at, at))
            spans[rank] = min(low, at), max(high, at + 2)
    return [(low, high - low) for low, high in
            (spans.get(rank, (0, 0)) for rank in range(grid[0] * grid[1]))]


class Access(Explain):
    """What the ranks want, by kind of access; bytes and range are worked out by hand."""

    def check(self, ranks, access, total, offset, length, direction="write"):
        plan = self.explained(job(ranks=ranks, access=access, direction=direction))
        self.assertEqual(plan["bytes"], total)
        self.assertEqual(plan["accessed"], {"offset": offset, "length": length})
        return plan

    def test_contiguous(self):
        self.check(3, {"kind": "contiguous", "bytes_per_rank": "1K", "gap": 24, "offset": 100},
                   3 * 1024, 100, 2 * 1048 + 1024)

    def test_interleaved(self):
        self.check(4, {"kind": "interleaved", "block": 10, "count": 3}, 120, 0, 120)

    def test_subarray_of_uneven_parts(self):
        for order in "C", "Fortran":
            self.check(6, {"kind": "subarray", "sizes": [7, 5], "grid": [3, 2],
                           "element_bytes": 8, "order": order}, 7 * 5 * 8, 0, 7 * 5 * 8)

    def test_darray(self):
        for distribution in (["block", "cyclic"], ["cyclic(3)", "cyclic(2)"],
                             ["block(4)", "block"], ["cyclic(100)", "cyclic"]):
            self.check(4, {"kind": "darray", "sizes": [7, 9], "grid": [2, 2], "element_bytes": 4,
                           "distribution": distribution}, 7 * 9 * 4, 0, 7 * 9 * 4)
        plan = self.check(2, {"kind": "darray", "sizes": [6, 4], "grid": [1, 2],
                              "element_bytes": 1, "distribution": ["none", "block"]}, 24, 0, 24)
        self.assertEqual(plan["strategy"], "two_phase")

    def test_spans_of_the_ranks_of_an_array(self):
        # With one gathering rank on each node, its domain is the span of its own access.
        distributions = [None, ["block", "cyclic"], ["cyclic(3)", "cyclic(2)"],
                         ["block(4)", "cyclic(50)"], ["cyclic", "block"]]
        for distribution in distributions:
            for order in "C", "Fortran":
                for sizes, grid in ([7, 9], [2, 3]), ([4, 10], [3, 2]), ([5, 5], [6, 1]):
                    with self.subTest(distribution=distribution, order=order, grid=grid):
                        if distribution == ["block(4)", "cyclic(50)"] and 4 * grid[0] < sizes[0]:
                            continue
                        access = {"kind": "subarray", "sizes": sizes, "grid": grid,
                                  "element_bytes": 2, "order": order}
                        if distribution:
                            access.update(kind="darray", distribution=distribution)
                        plan = self.explained(job(ranks=6, nodes=6, access=access, hints={
                            "tributary_collective": "local", "nc_num_aggrs_per_node": 1}))
                        spans = [(one["domain"]["offset"], one["domain"]["length"])
                                 for one in plan["aggregators"]]
                        self.assertEqual(spans, spans_of_array(sizes, grid, order, distribution))

    def test_order_of_the_array_decides_the_length_of_runs(self):
        # Columns dealt out: in C order each rank has short runs, in Fortran order a single one.
        access = {"kind": "subarray", "sizes": [1000, 1000], "grid": [1, 4], "element_bytes": 1}
        ways = [self.explained(job(access={**access, "order": order}, storage={
            "file_system": "remote"}, hints={"romio_cb_write": "disable"}))["independent"]
                for order in ("C", "Fortran")]
        self.assertEqual([(way[0]["strategy"] == "direct", way[0]["ranks"]) for way in ways],
                         [(False, 4), (True, 4)])

    def test_irregular(self):
        self.check(2, {"kind": "irregular", "extents": [[[10, 5], [20, 5]], [[100, 1]]]},
                   11, 10, 91)
        random = {"count": 10, "length": 7, "span": 1000, "seed": 3}
        plan = self.explained(job(access={"kind": "irregular", "random": random}))
        self.assertEqual(plan["bytes"], 4 * 70)
        self.assertLessEqual(plan["accessed"]["offset"] + plan["accessed"]["length"], 1000)
        again = self.explained(job(access={"kind": "irregular", "random": random}))
        self.assertEqual(plan, again)
        other = self.explained(job(access={"kind": "irregular", "random": {**random, "seed": 4}}))
        self.assertNotEqual(plan["accessed"], other["accessed"])

    def test_a_view_that_steps_back_is_not_cut(self):
        plan = self.explained(job(ranks=1, nodes=1, access={
            "kind": "irregular", "extents": [[[100, 5], [20, 5]]]}))
        self.assertEqual(plan["strategy"], "independent")
        plan = self.explained(job(ranks=2, access={
            "kind": "irregular", "extents": [[[100, 5], [20, 5]], []]}))
        self.assertIn("steps back", plan["reasons"][0]["why"])


class Choices(Explain):
    def test_hints_of_the_command_line_override_the_files(self):
        plan = self.explained(job(), "--hint", "cb_nodes=3", "--hint",
                              "tributary_partitioning=even")
        self.assertEqual(len(plan["aggregators"]), 3)
        self.assertEqual(plan["partitioning"], "even")
        plan = self.explained(job(hints={"cb_nodes": 2, "tributary_collective": "two_phase"}),
                              "--hint", "num_aggregators=1")
        self.assertEqual(len(plan["aggregators"]), 1)

    def test_a_hints_own_name_counts_more_than_an_alias(self):
        plan = self.explained(job(hints={"cb_nodes": 2, "num_aggregators": 1,
                                         "romio_cb_write": True}))
        self.assertEqual(len(plan["aggregators"]), 2)

    def test_unknown_hints_give_a_warning(self):
        result = run("explain", self.written(job(hints={"cb_noodles": 2})))
        self.assertEqual(result.returncode, 0)
        self.assertIn("hints.cb_noodles: no such hint", result.stderr)

    def test_servers_in_three_spellings(self):
        spellings = [
            {"servers": [{"class": "hdd", "cost": 5, "count": 2}, {"class": "ssd"}]},
            {"servers": ["hdd", "hdd", "ssd"], "classes": {"hdd": 5, "ssd": 1}},
        ]
        for spelling in spellings:
            layout = self.explained(job(storage={"stripe": "1K", **spelling}))["layout"]
            self.assertEqual(layout["class_of_server"], [0, 0, 1])
            self.assertEqual([one["cost"] for one in layout["classes"]], [5, 1])
        layout = self.explained(job(storage={"stripe": "1K", "servers": 3}))["layout"]
        self.assertEqual(layout["class_of_server"], [0, 0, 0])

    def test_striping_hints_count_where_the_storage_does_not_say(self):
        hints = {"striping_unit": "1K", "tributary_server_costs": "5,1"}
        self.assertEqual(self.explained(job(hints=hints))["layout"]["servers"], 2)
        storage = {"stripe": "2K", "servers": 4}
        layout = self.explained(job(hints=hints, storage=storage))["layout"]
        self.assertEqual((layout["stripe_bytes"], layout["servers"]), (2048, 4))

    def test_nodes_and_numa_domains_place_the_aggregators(self):
        hints = {"tributary_collective": "two_phase", "cb_nodes": 4}
        plan = self.explained(job(ranks=8, nodes=2, numa_per_node=2, hints=hints))
        self.assertEqual([(one["rank"], one["node"]) for one in plan["aggregators"]],
                         [(0, 0), (4, 1), (2, 0), (6, 1)])
        plan = self.explained(job(ranks=8, ranks_per_node=3, hints={
            **hints, "cb_config_list": "node2:*"}))
        self.assertEqual([one["rank"] for one in plan["aggregators"]], [6, 7])

    def test_each_rank_for_itself_says_how(self):
        plan = self.explained(job(hints={"romio_cb_write": "disable"}))
        self.assertEqual(plan["strategy"], "independent")
        self.assertEqual(sum(one["ranks"] for one in plan["independent"]), 4)
        self.assertIsNone(plan["orders"])

    def test_what_the_library_settles_without_the_planner(self):
        large = {"kind": "interleaved", "block": "1M", "count": 10}
        plan = self.explained(job(access=large, hints=None))
        self.assertIn("one page cache", plan["reasons"][0]["why"])
        plan = self.explained(job(access=large, hints=None, storage={"file_system": "remote"}))
        self.assertIn("through aggregators", plan["reasons"][0]["why"])

    def test_cycles_limits_what_is_shown(self):
        arguments = "--hint", "cb_buffer_size=4K", "--hint", "cb_nodes=2"
        plan = self.explained(job(access={"kind": "interleaved", "block": 4096, "count": 10}),
                              "--cycles", 2, *arguments)
        self.assertEqual(plan["cycles"], 20)
        self.assertEqual({one["cycle"] for one in plan["requests"]}, {0, 1})
        self.assertEqual(len(plan["program"]["first"]), 8)


class Mistakes(Explain):
    def refused(self, text, *arguments, of=None):
        """Exit code 2, nothing on stdout, one sentence with the place on stderr."""
        result = run("explain", self.written(job() if of is None else of), *arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(text, result.stderr)

    def test_the_path_of_the_mistake(self):
        def access(**keys):
            return job(access=keys)

        grid = {"sizes": [8, 8], "grid": [2, 2], "element_bytes": 8}
        mistakes = [
            ("parse error at line 1", "{"),
            ("the job file: a list is not an object", []),
            ("ranks: is missing", job(ranks=None)),
            ("ranks: 0 is too small", job(ranks=0)),
            ("ranks: 2.5 is not a whole number", job(ranks=2.5)),
            ("ranks: 18446744073709551615 is too large", job(ranks=2**64 - 1)),
            ("rank: there is no such key", job(rank=4)),
            ("nodes: 5 is too large", job(nodes=5)),
            ("ranks_per_node: 2 on a node take 2 nodes", job(nodes=3, ranks_per_node=2)),
            ("direction: 'up' is not a choice; allowed: read, write", job(direction="up")),
            ("atomic: 1 is neither true nor false", job(atomic=1)),
            ("access: is missing", job(access=None)),
            ("access: 3 is not an object", job(access=3)),
            ("access.kind: is missing", access(block=3)),
            ("access.kind: 'odd' is not a choice", access(kind="odd")),
            ("access.block: '1X' is not a size", access(kind="interleaved", block="1X", count=1)),
            ("access.block: 0 is too small", access(kind="interleaved", block=0, count=1)),
            ("access: this makes more than 1 EiB",
             access(kind="interleaved", block="1P", count=1000)),
            ("access.size: there is no such key", access(kind="contiguous", size=3)),
            ("access.grid: 2 x 3 = 6 processes, but there are 4 ranks",
             access(kind="subarray", **{**grid, "grid": [2, 3]})),
            ("access.grid: it has 1 dimensions", access(kind="subarray", **{**grid, "grid": [4]})),
            ("access.sizes[1]: 0 is too small",
             access(kind="subarray", **{**grid, "sizes": [8, 0]})),
            ("access.distribution[1]: 'odd' is not a distribution",
             access(kind="darray", distribution=["block", "odd"], **grid)),
            ("access.distribution[0]: 2 blocks of 3 do not hold 8 indices",
             access(kind="darray", distribution=["block(3)", "block"], **grid)),
            ("access.distribution[0]: 'cyclic(3' has no closing parenthesis",
             access(kind="darray", distribution=["cyclic(3", "block"], **grid)),
            ("access.distribution[1]: what is not distributed",
             access(kind="darray", distribution=["block", "none"], **grid)),
            ("access.extents: it has lists for 1 ranks", access(kind="irregular", extents=[[]])),
            ("access.extents[2][0]: an extent is [offset, length]",
             access(kind="irregular", extents=[[], [], [[1]], []])),
            ("access.random.span: it does not hold",
             access(kind="irregular", random={"count": 10, "length": 10, "span": 99})),
            ("access: an irregular access has either", access(kind="irregular")),
            ("storage.stripe: is missing", job(storage={"servers": 3})),
            ("storage.servers: is missing", job(storage={"stripe": "1M"})),
            ("storage.servers[1]: storage.classes has no class 'ssd'",
             job(storage={"stripe": 1, "servers": ["hdd", "ssd"], "classes": {"hdd": 5}})),
            ("storage.servers[0].cost: 0 is not a number above 0",
             job(storage={"stripe": 1, "servers": [{"class": "a", "cost": 0}]})),
            ("storage.servers[1].cost: class 'a' has another cost",
             job(storage={"stripe": 1, "servers": [{"class": "a", "cost": 2},
                                                   {"class": "a", "cost": 3}]})),
            ("storage.file_system: the file system of one node is not seen by 2 nodes",
             job(nodes=2, storage={"file_system": "local"})),
            ("hints.cb_nodes: 'abc' is not a number; allowed: an integer from 0",
             job(hints={"cb_nodes": "abc"})),
            ("hints.cb_nodes: the value of a hint is", job(hints={"cb_nodes": [1]})),
            ("hints.tributary_strategy_used: this hint is filled in by the library",
             job(hints={"tributary_strategy_used": "x"})),
        ]
        for text, of in mistakes:
            with self.subTest(text=text):
                self.refused("job.json: " + text, of=of)

    def test_arguments(self):
        self.refused("tributary explain: --hint cb_nodes: it has to be key=value",
                     "--hint", "cb_nodes")
        self.refused("tributary explain: --hint cb_nodes: -5 is too small", "--hint",
                     "cb_nodes=-5")
        self.refused("--cycles", "--cycles", 0)
        self.refused("--wrong", "--wrong")
        for arguments in (), ("explain",), ("guess",):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertNotEqual(result.stderr, "")

    def test_files_that_cannot_be_read(self):
        for path, text in ((self.folder.name + "/none", "No such file"),
                           (self.folder.name, "Is a directory")):
            result = run("explain", path)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(text, result.stderr)


class Help(unittest.TestCase):
    def test_help_and_version(self):
        self.assertIn("explain", run("--help").stdout)
        page = run("explain", "--help")
        self.assertEqual(page.returncode, 0)
        for option in "--json", "--orders", "--cycles", "--hint":
            self.assertIn(option, page.stdout)
        version = run("--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^tributary \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
