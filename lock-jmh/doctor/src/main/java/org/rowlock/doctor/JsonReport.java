package org.rowlock.doctor;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.doctor.RowWait.Cause;

/** The report for programs: the diagnosis, and the figures it rests on as numbers. */
final class JsonReport {
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private JsonReport() {}

    /** Seconds and sessions at a time, if a name does not say otherwise. */
    private record Document(
            String server,
            String version,
            String database,
            String role,
            boolean standby,
            String started,
            double seconds,
            int samples,
            Judgement diagnosis,
            double busySessions,
            double rowLockWaits,
            Map<String, Double> waits,
            List<Table> tables,
            Map<String, Double> perSecond) {}

    private record Table(
            String table,
            double rowLockWaits,
            double contenders,
            int mostContenders,
            double longestWait,
            Map<Cause, Double> causes,
            List<String> statements) {}

    static String of(Examination seen, Judgement diagnosis) {
        Samples samples = seen.samples();
        Map<String, Double> waits = new LinkedHashMap<>();
        samples.events().forEach(event -> waits.put(event, samples.sessions(event)));
        Map<String, Double> perSecond = new LinkedHashMap<>();
        seen.growth().ifPresent(growth -> {
            perSecond.put("xids", growth.perSecond(growth.xids()));
            perSecond.put("multixacts", growth.perSecond(growth.multixacts()));
            perSecond.put("transactions", growth.perSecond(growth.transactions()));
            perSecond.put("deadlocks", growth.perSecond(growth.deadlocks()));
        });
        return GSON.toJson(new Document(
                seen.address(),
                seen.server().version(),
                seen.server().database(),
                seen.server().role(),
                seen.server().inRecovery(),
                seen.started().toString(),
                samples.took().toNanos() / 1e9,
                samples.count(),
                diagnosis,
                samples.busySessions(),
                samples.rowWaits(),
                waits,
                samples.tables().stream().map(table -> table(samples, table)).toList(),
                perSecond));
    }

    private static Table table(Samples samples, TableWaits table) {
        Map<Cause, Double> causes = new LinkedHashMap<>();
        table.causes()
                .ranking()
                .forEach(cause -> causes.put(cause, table.causes().share(cause)));
        return new Table(
                table.table(),
                samples.rowWaits(table),
                table.contenders(),
                table.mostContenders(),
                table.longestWait().toNanos() / 1e9,
                causes,
                table.statements().ranking());
    }
}
