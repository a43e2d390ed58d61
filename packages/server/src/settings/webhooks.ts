import { setting } from './setting.ts'
import { ranges, retries } from './values.ts'

/** What webhooks reach, and when. */
export const webhookSettings = {
  webhookAllow: setting({
    name: 'MUSTER_WEBHOOK_ALLOW',
    meaning:
      'Addresses that webhooks may reach besides those that anybody can reach: CIDRs or single addresses, parted by commas, such as 10.20.0.0/16 for receivers of your own.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  webhookRetries: setting({
    name: 'MUSTER_WEBHOOK_RETRIES',
    meaning: 'Seconds between the attempts of a webhook delivery, parted by commas; each 20 % more or less.',
    default: '5,30,120,600,1800,3600,10800,21600,36000,50400,64800,86400,86400',
    parse: (text) => retries(text ?? '5,30,120,600,1800,3600,10800,21600,36000,50400,64800,86400,86400'),
  }),
}
