package org.rowlock.spring.shop;

import org.rowlock.spring.RowLock;
import org.springframework.transaction.annotation.Transactional;

/** A superclass of beans in other packages, whose proxies cannot override its method. */
public abstract class PackagePrivate {
    @Transactional
    void run(@RowLock("account") int id) {}
}
