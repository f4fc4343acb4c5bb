package org.rowlock.doctor;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Everything that was seen, for the diagnosis.
 *
 * @param address as it is shown
 * @param started when the looking began
 * @param server which
 * @param samples what sessions waited for
 * @param growth what the counters gained meanwhile; empty if they could not be read
 * @param ages how far the counters have gone; empty if they could not be read
 * @param multiXactFiles empty if the role may not list directories
 * @param statements empty without pg_stat_statements
 * @param updates of tables meanwhile, most first
 * @param horizon who holds vacuum back, the oldest first
 * @param audit what Rowlock's audit has noted; empty where it is not installed, or may not be read
 * @param pooled whether something stands between us and the server
 * @param unseen what could not be looked at
 */
record Examination(
        String address,
        Instant started,
        Server server,
        Samples samples,
        Optional<Counters.Growth> growth,
        Optional<Ages> ages,
        Optional<MultiXactFiles> multiXactFiles,
        Optional<LockingStatements> statements,
        List<TableUpdates> updates,
        List<HorizonHolder> horizon,
        Optional<Audit> audit,
        boolean pooled,
        List<Unseen> unseen) {}
