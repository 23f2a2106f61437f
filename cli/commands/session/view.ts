import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'
import { notFound } from '../../refusal.ts'
import { type ListedSession, listed, sessionFields } from './sessions.ts'

const columns: readonly Column<ListedSession>[] = [
  { header: 'ID', value: (session) => session.id },
  { header: 'Current', value: (session) => session.current },
  { header: 'User', value: (session) => session.userId },
  { header: 'Address', value: (session) => session.ipAddress },
  { header: 'Client', value: (session) => session.userAgent },
  { header: 'Since', value: (session) => session.createdAt },
  { header: 'Updated', value: (session) => session.updatedAt },
  { header: 'Expires', value: (session) => session.expiresAt },
  { header: 'Organization', value: (session) => session.activeOrganizationId },
  { header: 'Impersonated by', value: (session) => session.impersonatedBy },
]

export const sessionViewCommand = (context: Context): Command =>
  about(
    new Command('view')
      .description('One session of the signed-in user')
      .argument('<id>', 'its id, as session list shows it')
      .action((id: string) => view(context, id)),
    { form: 'one', fields: sessionFields, examples: ['postern session view 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'] },
  )

async function view(context: Context, id: string): Promise<void> {
  const { api } = await context.connectSignedIn()
  const found = (await api.session.listSessions()).find((session) => session.id === id)
  if (!found) throw notFound(`No session ${id}`, 'postern session list')
  await context.out.one(listed(found), columns)
}
