package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.openjdk.jmh.results.BenchmarkResult;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Metric.Better;

/** A run with every kind of chart and verdict, of the size of a real one. The numbers are made up, and always the same. */
final class SampleRun {
    private static final int ROUNDS = 3;

    private final Random random = new Random(42);

    static RunResults of() {
        SampleRun sample = new SampleRun();
        Map<String, String> failures = new LinkedHashMap<>();
        failures.put(
                "queue",
                "The connection was refused: there are 100 connections, and 120 are needed. Raise max_connections.");
        return MadeUp.run(
                List.of(
                        sample.zipfian(),
                        sample.clients(),
                        sample.share(),
                        sample.manyKeys(),
                        sample.horizon(),
                        sample.keys()),
                failures);
    }

    private ScenarioResult zipfian() {
        MadeUp scenario = MadeUp.scenario(
                        "zipfian",
                        Metric.throughput("throughput"),
                        Metric.percentile("lock", "0.50", "lock p50"),
                        Metric.percentile("lock", "0.99", "lock p99"),
                        Metric.wal())
                .texts(
                        "Hot rows: lock one of 100, update it three times",
                        "Each client picks a row by zipf(1..100, s = 1.1), begins, locks it, updates it three times and commits.",
                        "90 clients, 4 cores, PostgreSQL 12: the lock took 66.5 ms with FOR UPDATE and 35.5 ms with an advisory lock.",
                        "keys")
                .charts(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "Throughput"),
                        new Chart(Chart.Kind.PERCENTILES, "lock", "Time to get the lock"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for"))
                .remarks("The server's max_connections leaves room for 90 clients and no more.");
        Map<String, Double> speeds = new LinkedHashMap<>();
        speeds.put("ROW", 1979.0);
        speeds.put("BOTH", 3265.0);
        speeds.put("ADVISORY", 3958.0);
        speeds.put("NAIVE", 3890.0);
        speeds.put("ADVISORY+pipelined", 4310.0);
        speeds.put("ROW+admission", 4536.0);
        speeds.put("BOTH+admission", 4420.0);
        speeds.put("ADVISORY+admission", 4733.0);
        speeds.put("ADVISORY+pipelined+admission", 5120.0);
        speeds.forEach((variant, speed) -> {
            scenario.cell("zipf", variant, rounds("zipf", variant, speed, 90_000 / speed));
            scenario.cell("uniform", variant, rounds("uniform", variant, 5200 - (5200 - speed) * 0.05, 0.4));
        });
        return scenario.result();
    }

    private ScenarioResult clients() {
        MadeUp scenario = MadeUp.scenario(
                        "clients", Metric.throughput("throughput"), Metric.percentile("lock", "0.99", "lock p99"))
                .texts("Hot rows: from one client to hundreds", "Where does each strategy saturate?", "", "clients")
                .charts(
                        new Chart(Chart.Kind.CURVE, Metric.SCORE, "Throughput over clients"),
                        new Chart(Chart.Kind.CURVE, "lock:p0.99", "Time to get the lock, p99"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for"));
        for (int clients : new int[] {1, 2, 4, 10, 30, 90, 200, 300}) {
            double ideal = 4800 * clients / (clients + 3.0);
            String point = Integer.toString(clients);
            double millis = clients * 1000.0 / ideal;
            Map.of(
                            "ROW",
                            1 / (1 + clients / 65.0),
                            "BOTH",
                            0.86 / (1 + clients / 190.0),
                            "ADVISORY",
                            0.93 / (1 + clients / 230.0))
                    .entrySet()
                    .stream()
                    .sorted(Map.Entry.comparingByKey((a, b) -> b.compareTo(a)))
                    .forEach(strategy -> {
                        String variant = strategy.getKey();
                        scenario.cell(point, variant, rounds(point, variant, ideal * strategy.getValue(), millis));
                        scenario.cell(
                                point,
                                variant + "+admission",
                                rounds(
                                        point,
                                        variant + "+admission",
                                        ideal * Math.min(0.95, strategy.getValue() + clients / 400.0),
                                        millis / 2));
                    });
        }
        return scenario.result();
    }

    private ScenarioResult share() {
        MadeUp scenario = MadeUp.scenario(
                        "share",
                        new Metric(Metric.SCORE, "throughput", "tx/s", Better.HIGHER),
                        Metric.wal(),
                        Metric.multixacts())
                .texts(
                        "Parents: a thousand shared locks in a transaction",
                        "What do 1,000 shared locks on neighbouring rows cost?",
                        "36 tx/s with FOR SHARE; pg_multixact grew to 5.3 GB.",
                        "clients")
                .charts(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "Throughput"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction"));
        for (String point : List.of("1", "4")) {
            scenario.cell(point, "ROW", counted(point, "ROW", 36, 57_344, point.equals("1") ? 0 : 1334));
            scenario.cell(point, "BOTH", counted(point, "BOTH", 29, 57_350, point.equals("1") ? 0 : 1330));
            scenario.cell(point, "ADVISORY", counted(point, "ADVISORY", 137, 0, 0));
        }
        return scenario.result();
    }

    private ScenarioResult manyKeys() {
        MadeUp scenario = MadeUp.scenario("many-keys")
                .texts("Many keys in one transaction", "Where do row locks win?", "", "keys per transaction")
                .charts(new Chart(Chart.Kind.BARS, Metric.SCORE, "Throughput"));
        double[] advisory = {1.05, 0.98, 0.71, 0.52, 0.5};
        String[] points = {"1", "10", "100", "1000", "5000"};
        for (int i = 0; i < points.length; i++) {
            double speed = 4000.0 / Math.pow(4, i);
            scenario.cell(points[i], "ROW", rounds(points[i], "ROW", speed, 1));
            scenario.cell(points[i], "BOTH", rounds(points[i], "BOTH", speed * advisory[i] * 0.8, 1));
            scenario.cell(points[i], "ADVISORY", rounds(points[i], "ADVISORY", speed * advisory[i], 1));
        }
        return scenario.result();
    }

    private ScenarioResult horizon() {
        MadeUp scenario = MadeUp.scenario("horizon")
                .texts(
                        "Hot rows beside a long transaction",
                        "How far does throughput fall?",
                        "597 tps falls to 102 in 15 minutes.",
                        "")
                .charts(new Chart(Chart.Kind.TIMELINE, Metric.SCORE, "Throughput over time"));
        Map<String, Double> falls = new LinkedHashMap<>();
        falls.put("ROW", 14.0);
        falls.put("ADVISORY", 22.0);
        falls.put("ADVISORY+admission", 30.0);
        falls.forEach((variant, half) -> {
            List<Double> seconds = new ArrayList<>();
            for (int second = 1; second <= 60; second++) {
                double fallen = second < 45 ? Math.pow(0.5, second / half) : 1;
                seconds.add(1200 * fallen * noise());
            }
            scenario.cell("held", variant, List.of(MadeUp.round("held", variant, seconds, Map.of(), Map.of())));
        });
        return scenario.result();
    }

    private ScenarioResult keys() {
        MadeUp scenario = MadeUp.scenario("keys", new Metric(Metric.SCORE, "cost", "us", Better.LOWER))
                .baseline("int")
                .texts("Forms of keys", "What does each form of key cost?", "", "")
                .charts(new Chart(Chart.Kind.BARS, Metric.SCORE, "Cost of a lock"));
        Map.of("int", 61.0, "uuid", 64.0, "text", 64.2, "composite", 66.0, "hashtext", 61.5).entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(key -> scenario.cell("all", key.getKey(), rounds("all", key.getKey(), key.getValue(), 1)));
        return scenario.result();
    }

    private List<BenchmarkResult> counted(String point, String variant, double speed, double wal, double multixacts) {
        List<BenchmarkResult> rounds = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            rounds.add(MadeUp.round(
                    point,
                    variant,
                    List.of(speed * noise()),
                    Map.of("pg.wal", wal * noise(), "pg.multixacts", multixacts * noise()),
                    Map.of()));
        }
        return rounds;
    }

    private List<BenchmarkResult> rounds(String point, String variant, double speed, double lockMillis) {
        List<BenchmarkResult> rounds = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            List<Double> samples = new ArrayList<>();
            for (int sample = 0; sample < 1500; sample++) {
                samples.add(lockMillis * -Math.log(1 - random.nextDouble()) * (sample % 400 == 0 ? 6 : 1));
            }
            rounds.add(MadeUp.round(
                    point, variant, List.of(speed * noise()), others(variant, lockMillis), Map.of("lock", samples)));
        }
        return rounds;
    }

    private Map<String, Double> others(String variant, double weight) {
        Map<String, Double> others = new LinkedHashMap<>();
        boolean row = variant.startsWith("ROW") || variant.startsWith("BOTH");
        double queue = variant.endsWith("admission") ? 2 : weight;
        others.put("pg.wal", (row ? 1060 : 1004) * noise());
        others.put("wait.Lock:tuple", variant.startsWith("ROW") ? queue * noise() : 0.0);
        others.put("wait.Lock:transactionid", variant.startsWith("ROW") ? queue / 3 * noise() : 0.01);
        others.put("wait.Lock:advisory", variant.startsWith("ROW") ? 0.0 : queue / 2 * noise());
        others.put("wait.LWLock:WALWrite", 3.4 * noise());
        others.put("wait.LWLock:LockManager", row ? 1.1 : 0.6);
        others.put("wait.LWLock:BufferContent", row ? 1.9 : 0.3);
        others.put("wait.LWLock:ProcArray", 0.2);
        others.put("wait.IO:WalSync", 1.2 * noise());
        others.put("wait.Client:ClientRead", 4.5 * noise());
        others.put("wait.CPU", 2.6 * noise());
        others.put("wait.Timeout:SpinDelay", 0.02);
        return others;
    }

    private double noise() {
        return 1 + random.nextGaussian() * 0.025;
    }
}
