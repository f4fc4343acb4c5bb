package org.rowlock.jmh.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method for static analysis: it is called before any other method, and sets fields that a constructor would
 * set.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
@interface Initializer {}
