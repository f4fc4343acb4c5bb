package org.rowlock.jmh.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the strategies that a workload implements in hand-written SQL, in addition to Rowlock's strategies. */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface ByHand {
    Strategy[] value();
}
