import { samplerNames } from '../tracing/sampler-names.ts'
import { optionalSetting, setting } from './setting.ts'
import { httpUrl, integer, oneOf, share } from './values.ts'

/** OpenTelemetry defines the names of these settings. Its libraries also read other environment variables. */
export const traceSettings = {
  traceEndpoint: optionalSetting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'URL of the OpenTelemetry collector, such as http://127.0.0.1:4318. The server appends `/v1/traces` and sends traces as OTLP over HTTP in JSON. Not set: no traces.',
    secret: true,
    parse: httpUrl,
  }),
  traceTimeout: setting({
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    meaning:
      'Milliseconds that the server can take to send a batch of spans to the collector, including retries. When the server stops, it waits for the collector for at most this time plus 2 seconds.',
    default: '3000',
    parse: (text) => integer(text ?? '3000', 100, 600_000, 'milliseconds'),
  }),
  traceSampler: setting({
    name: 'OTEL_TRACES_SAMPLER',
    meaning: `Sampler that selects the traces to send to the collector, one of ${samplerNames.join(', ')}.`,
    default: 'parentbased_always_on',
    parse: (text) => oneOf(text ?? 'parentbased_always_on', samplerNames),
  }),
  traceShare: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    meaning:
      'Sampling ratio, from 0 to 1, of the samplers traceidratio and parentbased_traceidratio. The other samplers ignore it.',
    default: '1',
    parse: (text) => share(text ?? '1'),
  }),
}
