package org.rowlock.examples.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.rowlock.spring.RowLock;

// snippet: meta
@RowLock("orders")
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@interface LockOrder {}
// end
