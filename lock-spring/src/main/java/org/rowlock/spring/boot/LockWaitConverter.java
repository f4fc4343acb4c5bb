package org.rowlock.spring.boot;

import org.rowlock.LockWait;
import org.rowlock.spring.internal.annotation.LockWaits;
import org.springframework.core.convert.converter.Converter;

/** Reads the waits of properties. A class and not a lambda, so that its types are known. */
final class LockWaitConverter implements Converter<String, LockWait> {
    @Override
    public LockWait convert(String text) {
        return LockWaits.parse(text);
    }
}
