import type { Config } from '../config.ts'

export const isHttps = ({ publicUrl, tlsCert }: Pick<Config, 'publicUrl' | 'tlsCert'>): boolean =>
  publicUrl === undefined ? tlsCert !== undefined : publicUrl.startsWith('https:')
