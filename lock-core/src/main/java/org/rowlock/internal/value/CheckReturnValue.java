package org.rowlock.internal.value;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks methods, or all methods of a type, whose result must not be dropped: they do nothing by themselves. Static
 * analysers know the annotation by this simple name.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.CLASS)
public @interface CheckReturnValue {}
