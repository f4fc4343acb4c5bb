/**
 * Spring Boot: auto-configuration with the properties {@code rowlock.*}, failure analyses, and the actuator endpoint
 * {@code rowlocks}. Start with {@link org.rowlock.spring.boot.RowLockProperties}.
 */
@NullMarked
package org.rowlock.spring.boot;

import org.jspecify.annotations.NullMarked;
