package org.rowlock.guard;

/**
 * The command {@code java -jar lock-guard.jar}, which prints {@link RowLockGuard#schemaSql()} for a migration or for
 * psql.
 */
final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        if (arguments.length > 0) {
            System.err.println(
                    "Prints the SQL of the schema rowlock, and takes no arguments. The functions of the schema"
                            + " set a guard or an audit: select rowlock.install_guard('orders')");
            System.exit(2);
        }
        System.out.print(RowLockGuard.schemaSql());
    }
}
