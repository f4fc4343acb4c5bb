/**
 * The demo that {@code ./mvnw -Pdemo} runs: {@link org.rowlock.examples.demo.TransferDemo}. The code of an application
 * in it is {@code TransferService}, which locks two accounts and moves money. All else sets the scene (server, schema,
 * pool, clients), measures, or prints.
 */
@NullMarked
package org.rowlock.examples.demo;

import org.jspecify.annotations.NullMarked;
