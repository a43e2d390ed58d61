import type { Config } from '../config.ts'

/** Whether browsers reach this server by https: through a proxy that speaks TLS, or its own. */
export const isHttps = ({ publicUrl, tlsCert }: Pick<Config, 'publicUrl' | 'tlsCert'>): boolean =>
  publicUrl === undefined ? tlsCert !== undefined : publicUrl.startsWith('https:')
