import type { RequestRecord } from '../client/transport/record.ts'
import { visible } from './filter.ts'

/** One try as `--debug` shows it; the record holds no secret. */
export function debugLine(record: RequestRecord): string {
  const { method, url, attempt, status, ms, bodyKeys, error } = record
  const head = `${method} ${url}${attempt > 1 ? ` (try ${attempt})` : ''} -> ${status ?? 'no answer'} in ${Math.round(ms)} ms`
  const lines = [
    head,
    ...(bodyKeys.length > 0 ? [`  body: ${bodyKeys.join(', ')}`] : []),
    ...headerLines('>', record.requestHeaders),
    ...headerLines('<', record.headers),
    ...record.refusedCookies.map((name) => `  cookie refused: ${name}`),
    ...(error === undefined ? [] : [`  ${error}`]),
  ]
  return `${lines.map((line) => `debug: ${visible(line)}`).join('\n')}\n`
}

const headerLines = (arrow: string, headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `  ${arrow} ${name}: ${value}`)
