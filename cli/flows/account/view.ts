import type { Sheet } from '../listing.ts'
import { fullUserFields, type ShownUser, shownUser, userColumns } from './users.ts'

export const accountView: Sheet<ShownUser> = {
  command: 'account view',
  summary: 'The signed-in user',
  fields: {},
  call: '/get-session',
  answer: fullUserFields,
  columns: userColumns,
  examples: ['', '--json=name,image'],
  view: async (ports) => shownUser((await ports.session()).user),
}
