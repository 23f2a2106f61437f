import { Document, isScalar, visit } from 'yaml'
import { unsafeCharacters } from './escape-controls.ts'

/** YAML that is safe to print: characters that a terminal would act on or hide are escaped. */
export function yamlText(value: unknown): string {
  const yaml = new Document(value, { aliasDuplicateObjects: false })
  visit(yaml, (_, node) => {
    // YAML has escapes only in double quotes.
    if (isScalar(node) && typeof node.value === 'string' && node.value.search(unsafeCharacters) >= 0)
      node.type = 'QUOTE_DOUBLE'
  })
  return yaml.toString({ lineWidth: 0 }).replaceAll(unsafeCharacters, escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
