package org.rowlock.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

interface OrderLines extends JpaRepository<OrderLine, Long> {}
