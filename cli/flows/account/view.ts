import type { Sheet } from '../listing.ts'
import { fullUserFields, type ShownUser, shownUser, userColumns } from './users.ts'

export const accountView: Sheet<ShownUser> = {
  command: 'account view',
  summary: 'The signed-in user',
  fields: {},
  call: '/get-session',
  answer: fullUserFields,
  columns: userColumns,
  examples: ['postern account view', 'postern account view --json=name,image'],
  view: async (ports) => shownUser((await ports.session()).user),
}
