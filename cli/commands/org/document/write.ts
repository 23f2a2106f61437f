import { unsafe } from '../../../output/json.ts'
import type { OrganizationDocument } from './schema.ts'
import { Document, isScalar, visit } from './yaml.ts'

/** A document as YAML that is safe to show in a terminal: what a terminal could obey or would hide is escaped. */
export function yamlOf(document: OrganizationDocument): string {
  const yaml = new Document(document, { aliasDuplicateObjects: false })
  visit(yaml, (_, node) => {
    // Escapes mean something between double quotes only.
    if (isScalar(node) && typeof node.value === 'string' && node.value.search(unsafe) >= 0) node.type = 'QUOTE_DOUBLE'
  })
  return yaml.toString({ lineWidth: 0 }).replaceAll(unsafe, escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
