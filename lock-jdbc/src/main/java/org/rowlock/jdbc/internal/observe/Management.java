package org.rowlock.jdbc.internal.observe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.RowlockJdbcMXBean;

/** The beans in JMX. A failure is logged, and costs nothing else. */
public final class Management {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private Management() {}

    /** Registers under a name, or the name with a number where it is taken; null where it failed. */
    public static synchronized @Nullable ObjectName register(String name, RowlockJdbcMXBean bean) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (int number = 1; ; number++) {
                String numbered = ObjectName.quote(number == 1 ? name : name + "-" + number);
                ObjectName objectName = new ObjectName("org.rowlock:type=Jdbc,name=" + numbered);
                if (!server.isRegistered(objectName)) {
                    server.registerMBean(bean, objectName);
                    return objectName;
                }
            }
        } catch (JMException e) {
            LOG.log(Level.WARNING, "Rowlock could not be registered in JMX; all else works", e);
            return null;
        }
    }

    /** Takes it out, where it is in. */
    public static void unregister(@Nullable ObjectName name) {
        try {
            if (name != null) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            }
        } catch (JMException e) {
            LOG.log(Level.DEBUG, "Not registered any more", e);
        }
    }
}
