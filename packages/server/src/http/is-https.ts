import type { Config } from '../config.ts'

/** Checks whether browsers reach this server over HTTPS, directly or through a proxy. */
export const isHttps = ({ publicUrl, tlsCert }: Pick<Config, 'publicUrl' | 'tlsCert'>): boolean =>
  publicUrl === undefined ? tlsCert !== undefined : publicUrl.startsWith('https:')
