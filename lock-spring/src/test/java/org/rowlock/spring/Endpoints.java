package org.rowlock.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.listener.MethodRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.config.JmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpoint;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.config.MethodJmsListenerEndpoint;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Spring's listeners for messages, schedules and asynchronous calls, without a broker. */
@EnableRabbit
@EnableKafka
@EnableJms
@EnableScheduling
@EnableAsync
class Endpoints {
    private record Endpoint(Object bean, Method method) {}

    private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();

    static Endpoints of(ApplicationContext context) {
        return context.getBean(Endpoints.class);
    }

    /** Calls the listener that an endpoint would call for a message. */
    void receive(String kind, Object message) {
        Endpoint endpoint = endpoints.get(kind);
        try {
            endpoint.method().invoke(endpoint.bean(), message);
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    @Bean("org.springframework.amqp.rabbit.config.internalRabbitListenerEndpointRegistry")
    RabbitListenerEndpointRegistry rabbit() {
        return new RabbitListenerEndpointRegistry() {
            @Override
            public void registerListenerContainer(
                    RabbitListenerEndpoint endpoint, RabbitListenerContainerFactory<?> factory, boolean start) {
                MethodRabbitListenerEndpoint method = (MethodRabbitListenerEndpoint) endpoint;
                endpoints.put("rabbit", new Endpoint(method.getBean(), method.getMethod()));
            }
        };
    }

    @Bean("org.springframework.kafka.config.internalKafkaListenerEndpointRegistry")
    KafkaListenerEndpointRegistry kafka() {
        return new KafkaListenerEndpointRegistry() {
            @Override
            public void registerListenerContainer(
                    KafkaListenerEndpoint endpoint, KafkaListenerContainerFactory<?> factory, boolean start) {
                MethodKafkaListenerEndpoint<?, ?> method = (MethodKafkaListenerEndpoint<?, ?>) endpoint;
                endpoints.put("kafka", new Endpoint(method.getBean(), method.getMethod()));
            }
        };
    }

    @Bean("org.springframework.jms.config.internalJmsListenerEndpointRegistry")
    JmsListenerEndpointRegistry jms() {
        return new JmsListenerEndpointRegistry() {
            @Override
            public void registerListenerContainer(
                    JmsListenerEndpoint endpoint, JmsListenerContainerFactory<?> factory, boolean start) {
                MethodJmsListenerEndpoint method = (MethodJmsListenerEndpoint) endpoint;
                endpoints.put("jms", new Endpoint(method.getBean(), method.getMethod()));
            }
        };
    }

    @Bean
    RabbitListenerContainerFactory<?> rabbitListenerContainerFactory() {
        return endpoint -> null;
    }

    @Bean
    KafkaListenerContainerFactory<?> kafkaListenerContainerFactory() {
        return none(KafkaListenerContainerFactory.class);
    }

    @Bean
    JmsListenerContainerFactory<?> jmsListenerContainerFactory() {
        return endpoint -> null;
    }

    private static <T> T none(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                }));
    }
}
