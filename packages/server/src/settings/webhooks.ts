import { setting } from './setting.ts'
import { ranges, retries } from './values.ts'

export const webhookSettings = {
  webhookAllow: setting({
    name: 'MUSTER_WEBHOOK_ALLOW',
    meaning:
      'Private addresses that webhooks may send to, in addition to public addresses: CIDR ranges or single addresses, separated by commas, such as 10.20.0.0/16.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  webhookRetries: setting({
    name: 'MUSTER_WEBHOOK_RETRIES',
    meaning:
      "Comma-separated delays, in seconds, before the retries of a webhook delivery. Each delay varies by up to 20%, and a Retry-After header in the receiver's response can extend it. If the last retry fails, the delivery fails permanently.",
    default: '5,30,120,600,1800,3600,10800,21600,36000,50400,64800,86400,86400',
    parse: (text) => retries(text ?? '5,30,120,600,1800,3600,10800,21600,36000,50400,64800,86400,86400'),
  }),
}
