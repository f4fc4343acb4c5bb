package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Embeddable;
import java.io.Serializable;

@Embeddable
public record OrderLineId(long orderId, int line) implements Serializable {}
