package org.rowlock.jmh.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Tells static analysis that the method runs before any other method and initializes fields, as a constructor does. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
@interface Initializer {}
