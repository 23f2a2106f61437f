import type { Context } from '../../../context.ts'
import { chooseOrganization } from '../../../flows/org/organizations.ts'
import { readCurrent } from './current.ts'
import { documentOf } from './document-of.ts'
import { yamlOf } from './write.ts'

/** `org export`, apart from its arguments: what it takes to write YAML is loaded when the command runs. */
export async function exportDocument(context: Context, word: string | undefined): Promise<void> {
  const connection = await context.connectSignedIn()
  const { id } = await chooseOrganization(connection, word ?? context.settings.organization.value)
  const { current } = await readCurrent(connection, id, context.host.now())
  const document = documentOf(current)
  context.out.text(yamlOf(document), document)
}
