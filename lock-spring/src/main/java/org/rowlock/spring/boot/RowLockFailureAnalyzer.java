package org.rowlock.spring.boot;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Docs;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Explains, without a stack trace, why a {@code @RowLock} cannot work and what to change. The analyzer also explains
 * unknown properties of {@code rowlock}, and how to name tables in properties. This analyzer runs before Spring Boot's
 * own analyzers, which would report these properties without an explanation.
 */
@Order(0)
final class RowLockFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {
    private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("rowlock");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        RowLockDefinitionException definition = findCause(rootFailure, RowLockDefinitionException.class);
        if (definition != null) {
            String action = definition.action() + " (see " + Docs.URL + "spring-operations.md#at-startup)";
            return new FailureAnalysis(definition.problem(), action, definition);
        }
        UnboundConfigurationPropertiesException unbound =
                findCause(rootFailure, UnboundConfigurationPropertiesException.class);
        return unbound == null ? null : unknownProperties(unbound);
    }

    private static @Nullable FailureAnalysis unknownProperties(UnboundConfigurationPropertiesException cause) {
        String unknown = cause.getUnboundProperties().stream()
                .filter(property -> ALL.isAncestorOf(property.getName()))
                .map(RowLockFailureAnalyzer::describe)
                .collect(Collectors.joining(System.lineSeparator()));
        if (unknown.isEmpty()) {
            return null;
        }
        return new FailureAnalysis(
                "Rowlock does not know these properties:" + System.lineSeparator() + unknown,
                "Correct the name (see " + Docs.URL + "settings.md#spring-boot); the completion of an IDE lists all"
                        + " names. A table has the properties strategy and id-columns. Put a name with a schema in"
                        + " brackets: rowlock.tables[shop.orders].strategy=both; in YAML, put quotes around the"
                        + " brackets: \"[shop.orders]\".",
                cause);
    }

    private static String describe(ConfigurationProperty property) {
        return "    " + property.getName() + "=" + property.getValue()
                + (property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")");
    }
}
