/** What the commands that move people in and out use: loaded by them alone. */

export { createKeys } from '../../crypto/keys.ts'
export { createPasswords } from '../../crypto/password.ts'
export type { LeftOut } from './check-item.ts'
export { exportRecords } from './export-records.ts'
export { type ImportSummary, importRecords } from './import-records.ts'
export { Newcomers, withoutPlatformRoles } from './newcomers.ts'
export { noteImport } from './note-import.ts'
export { openSource, type SourceRequest } from './open-source.ts'
export { partsOf } from './prepare-parts.ts'
export type { Source } from './source.ts'
