package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;

/** How far a reader of a warm call has to walk: the files it enters, and the frames from the door to the driver. */
class WalkTest {
    private static final int MOST_FRAMES = 8;

    private static final String PROGRAM = WalkedCalls.class.getName();

    @RegisterExtension
    final TestDatabase database = new TestDatabase(RowLockContract.ACCOUNTS, "insert into account values (1), (2)");

    /** What a call enters. */
    private static final class Walk {
        final Set<String> files = new TreeSet<>();
        List<String> deepest = List.of();
    }

    @Test
    void aWarmCallIsShortToRead() throws Exception {
        Map<String, Walk> walks = walks();
        assertThat(walks).containsOnlyKeys("lock", "inTransaction");
        assertThat(walks)
                .allSatisfy((call, walk) -> assertThat(walk.deepest)
                        .as("frames of %s", call)
                        .hasSizeBetween(3, MOST_FRAMES)
                        .contains("FlushRunner.java#send"));
        assertThat(walks.get("lock").files).contains("LockCall.java").hasSizeLessThanOrEqualTo(30);
        assertThat(walks.get("inTransaction").files).contains("Commit.java").hasSizeLessThanOrEqualTo(49);
    }

    /** Debugs the program, which says what it is in: no agent and no changed class. */
    private Map<String, Walk> walks() throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("options").setValue("-cp \"" + System.getProperty("java.class.path") + '"');
        PGSimpleDataSource source = database.dataSource();
        arguments
                .get("main")
                .setValue(String.join(
                        " ",
                        PROGRAM,
                        quoted(source.getURL()),
                        quoted(Objects.toString(source.getUser(), "")),
                        quoted(Objects.toString(source.getPassword(), ""))));
        VirtualMachine machine = connector.launch(arguments);
        try {
            return walks(machine);
        } finally {
            String said = new String(machine.process().getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(machine.process().waitFor()).as(said).isZero();
        }
    }

    private static String quoted(String argument) {
        return '"' + argument + '"';
    }

    /** Stops at the two marks of the program by breakpoints, because watching all its entries would slow it a hundredfold. */
    private static Map<String, Walk> walks(VirtualMachine machine) throws Exception {
        ClassPrepareRequest loaded = machine.eventRequestManager().createClassPrepareRequest();
        loaded.addClassFilter(PROGRAM);
        loaded.enable();
        List<MethodEntryRequest> walked = List.of(
                entries(machine, "org.rowlock.*", EventRequest.SUSPEND_NONE),
                entries(machine, "org.postgresql.jdbc.PgPreparedStatement", EventRequest.SUSPEND_EVENT_THREAD));
        Map<String, Walk> walks = new HashMap<>();
        Walk walk = new Walk();
        while (true) {
            EventSet events = machine.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof VMDisconnectEvent) {
                    return walks;
                }
                if (event instanceof ClassPrepareEvent program) {
                    stopAt(program.referenceType(), "begin");
                    stopAt(program.referenceType(), "end");
                } else if (event instanceof MethodEntryEvent entry) {
                    entered(walk, entry);
                } else if (event instanceof BreakpointEvent mark) {
                    if (mark.location().method().name().equals("begin")) {
                        walk = new Walk();
                        walks.put(nameGiven(mark.thread()), walk);
                        walked.forEach(EventRequest::enable);
                    } else {
                        walked.forEach(EventRequest::disable);
                    }
                }
            }
            events.resume();
        }
    }

    private static void stopAt(ReferenceType program, String method) {
        BreakpointRequest mark = program.virtualMachine()
                .eventRequestManager()
                .createBreakpointRequest(program.methodsByName(method).get(0).location());
        mark.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        mark.enable();
    }

    private static MethodEntryRequest entries(VirtualMachine machine, String types, int suspend) {
        MethodEntryRequest request = machine.eventRequestManager().createMethodEntryRequest();
        request.addClassFilter(types);
        request.setSuspendPolicy(suspend);
        return request;
    }

    private static String nameGiven(ThreadReference thread) throws IncompatibleThreadStateException {
        return ((StringReference) thread.frame(0).getArgumentValues().get(0)).value();
    }

    private static void entered(Walk walk, MethodEntryEvent entry) throws IncompatibleThreadStateException {
        ReferenceType type = entry.method().declaringType();
        if (isOurs(type)) {
            String file = fileOf(type);
            if (!file.isEmpty()) {
                walk.files.add(file);
            }
        } else if (entry.method().name().equals("execute")) {
            List<String> frames = entry.thread().frames().stream()
                    .map(StackFrame::location)
                    .filter(at -> isOurs(at.declaringType()))
                    .map(at -> fileOf(at.declaringType()) + '#' + at.method().name())
                    .toList();
            if (frames.size() > walk.deepest.size()) {
                walk.deepest = frames;
            }
        }
    }

    private static boolean isOurs(ReferenceType type) {
        return type.name().startsWith("org.rowlock.") && !type.name().startsWith(PROGRAM);
    }

    private static String fileOf(ReferenceType type) {
        try {
            return type.sourceName();
        } catch (AbsentInformationException e) {
            return ""; // A lambda stands in the file of another class.
        }
    }

    /** The program that the test walks along: warm calls, each between {@code begin} and {@code end}. */
    static final class WalkedCalls {
        private static final int WARM = 3;

        private static final LockRequest ACCOUNT = forUpdate(row("account", 1));

        private WalkedCalls() {}

        private interface Call {
            void run() throws Exception;
        }

        public static void main(String[] args) throws Exception {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            if (!args[1].isEmpty()) {
                dataSource.setUser(args[1]);
                dataSource.setPassword(args[2]);
            }
            RowLocks locks = LockAccess.builder().build();
            try (Connection connection = TestDatabase.begin(dataSource)) {
                TransactionLocks own = locks.in(connection);
                walk("lock", () -> {
                    LockResult unused = own.lock(ACCOUNT);
                    connection.rollback();
                });
            }
            RowLocks pooled = on(locks, dataSource);
            walk(
                    "inTransaction",
                    () -> pooled.lock(ACCOUNT)
                            .read("select balance from account where id = 1", row -> row.getLong(1))
                            .inTransaction(tx -> {
                                tx.atCommit("update account set balance = 1 where id = 1");
                                return null;
                            }));
        }

        private static void walk(String name, Call call) throws Exception {
            for (int i = 0; i < WARM; i++) {
                call.run();
            }
            begin(name);
            call.run();
            end();
        }

        static void begin(String name) {}

        static void end() {}
    }
}
