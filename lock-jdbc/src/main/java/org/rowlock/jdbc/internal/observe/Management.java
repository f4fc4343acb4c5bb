package org.rowlock.jdbc.internal.observe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.RowlockJdbcMXBean;

/** The bean in JMX, if it could be registered; a failure is logged and costs nothing else. */
public final class Management implements AutoCloseable {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final @Nullable ObjectName name;

    private Management(@Nullable ObjectName name) {
        this.name = name;
    }

    /** Registers under a name, or the name with a number where it is taken. */
    public static Management register(String name, RowlockJdbcMXBean bean) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (int number = 1; ; number++) {
                String numbered = number == 1 ? name : name + "-" + number;
                ObjectName objectName = new ObjectName("org.rowlock:type=Jdbc,name=" + ObjectName.quote(numbered));
                try {
                    server.registerMBean(bean, objectName);
                    return new Management(objectName);
                } catch (InstanceAlreadyExistsException e) {
                    LOG.log(Level.DEBUG, "{0} is taken", objectName);
                }
            }
        } catch (JMException e) {
            LOG.log(Level.WARNING, "Rowlock could not be registered in JMX; all else works", e);
            return new Management(null);
        }
    }

    @Override
    public void close() {
        if (name != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException e) {
                LOG.log(Level.DEBUG, "Not registered any more", e);
            }
        }
    }

    @Override
    public String toString() {
        return name == null ? "(not registered)" : name.getCanonicalName();
    }
}
