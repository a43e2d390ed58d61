import { samplerNames } from '../tracing/sampler-names.ts'
import { setting } from './setting.ts'
import { httpUrl, integer, oneOf, share } from './values.ts'

/** Where traces go, by the names that OpenTelemetry has for all programs. Its library reads further ones itself. */
export const traceSettings = {
  traceEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'Collector that traces are sent to as OTLP over HTTP in JSON, such as http://127.0.0.1:4318; `/v1/traces` is added. Not set: there are none.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : httpUrl(text)),
  }),
  traceTimeout: setting({
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    meaning:
      'Milliseconds that the collector has to take what it is sent, further tries included; so long does a server wait for it at its end.',
    default: '3000',
    parse: (text) => integer(text ?? '3000', 100, 600_000),
  }),
  traceSampler: setting({
    name: 'OTEL_TRACES_SAMPLER',
    meaning: `Which traces are kept: ${samplerNames.join(', ')}.`,
    default: 'parentbased_always_on',
    parse: (text) => oneOf(text ?? 'parentbased_always_on', samplerNames),
  }),
  traceShare: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    meaning: 'Share of traces that traceidratio and parentbased_traceidratio keep, from 0 to 1.',
    default: '1',
    parse: (text) => share(text ?? '1'),
  }),
}
