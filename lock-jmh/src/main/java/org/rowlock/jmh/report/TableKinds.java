package org.rowlock.jmh.report;

import org.rowlock.jmh.scenario.Scenario;

/** Which of a reader's own tables, or uses of them, a scenario stands for. */
final class TableKinds {
    private TableKinds() {}

    /** A noun phrase; the scenario's title where nothing better is known. */
    static String of(Scenario scenario) {
        return switch (scenario.name()) {
            case "zipfian" -> "Rows that are locked, then updated: hot ones and others";
            case "clients" -> "Hot rows, by how many sessions want them at a time";
            case "instances" -> "Hot rows, by the number of application instances";
            case "share" -> "Parent rows that many transactions lock FOR SHARE";
            case "share-fairness" -> "Rows under overlapping FOR SHARE that a writer must get";
            case "bystander" -> "Everything else on a server with hot locks";
            case "queue" -> "Job tables that workers claim from (SKIP LOCKED)";
            case "keys" -> "Rows locked without contention, by the type of their key";
            case "read-after-lock" -> "Rows that are locked and then read, without contention";
            case "pool" -> "Everything else that shares a connection pool with a hot row";
            case "many-keys" -> "Transactions that lock many rows at once";
            case "write-mix" -> "Tables that take inserts, updates and deletes";
            case "lock-loss" -> "Locks held when the server crashes";
            case "horizon" -> "Hot rows beside a long transaction";
            case "autovacuum" -> "Hot rows under an aggressive autovacuum";
            case "lwlocks-keys" -> "Rows of which two sessions seldom want the same";
            default -> scenario.title();
        };
    }
}
