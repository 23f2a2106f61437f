import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import type { StoredSettings } from '../../settings/config-file.ts'

export interface ProfileRow {
  readonly name: string
  readonly current: boolean
  readonly url: string | null
  readonly account: string | null
  readonly org: string | null
  readonly timeout: string | null
  readonly retries: string | null
  readonly color: string | null
  readonly readOnly: string | null
  readonly allowHttp: string | null
}

export const profileFields = {
  name: 'text',
  current: 'flag',
  url: 'text?',
  account: 'text?',
  org: 'text?',
  timeout: 'text?',
  retries: 'text?',
  color: 'text?',
  readOnly: 'text?',
  allowHttp: 'text?',
} satisfies Record<keyof ProfileRow, FieldType>

export const profileColumns: readonly Column<ProfileRow>[] = [
  { header: 'Name', value: (row) => row.name },
  { header: 'Current', value: (row) => row.current },
  { header: 'URL', value: (row) => row.url },
  { header: 'Account', value: (row) => row.account },
  { header: 'Organization', value: (row) => row.org },
]

export const profileRow = (name: string, stored: StoredSettings, current: boolean): ProfileRow => ({
  name,
  current,
  url: stored.url ?? null,
  account: stored.account ?? null,
  org: stored.org ?? null,
  timeout: stored.timeout ?? null,
  retries: stored.retries ?? null,
  color: stored.color ?? null,
  readOnly: stored['read-only'] ?? null,
  allowHttp: stored['allow-http'] ?? null,
})
