package org.rowlock.examples.spring;

import javax.sql.DataSource;
import org.apache.ibatis.session.SqlSessionFactory;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.resilience.annotation.EnableResilientMethods;

/** An application with everything that the documentation shows. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableResilientMethods
@Import({
    JpaBefore.class,
    JpaAfter.class,
    JdbcBefore.class,
    JdbcAfter.class,
    JooqBefore.class,
    JooqAfter.class,
    MyBatisBefore.class,
    MyBatisAfter.class,
    Placements.class,
    Retries.class,
    Templates.class,
    TicketSales.class
})
class SpringExamples {
    @Bean
    DSLContext dsl(DataSource dataSource) {
        return DSL.using(new TransactionAwareDataSourceProxy(dataSource), SQLDialect.POSTGRES);
    }

    @Bean
    SqlSessionFactoryBean sqlSessions(DataSource dataSource) {
        SqlSessionFactoryBean sessions = new SqlSessionFactoryBean();
        sessions.setDataSource(dataSource);
        return sessions;
    }

    @Bean
    MapperFactoryBean<AccountMapper> accountMapper(SqlSessionFactory sessions) {
        MapperFactoryBean<AccountMapper> mapper = new MapperFactoryBean<>(AccountMapper.class);
        mapper.setSqlSessionFactory(sessions);
        return mapper;
    }
}
