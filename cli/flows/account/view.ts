import type { FullUser } from '../../../shared/entities.ts'
import type { Sheet } from '../listing.ts'
import { fullUserFields, userColumns } from './users.ts'

export const accountView: Sheet<FullUser> = {
  command: 'account view',
  summary: 'The signed-in user',
  fields: {},
  call: '/get-session',
  answer: fullUserFields,
  columns: userColumns,
  examples: ['postern account view', 'postern account view --json=name,image'],
  view: async (ports) => (await ports.session()).user,
}
