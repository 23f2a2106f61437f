import { type Document, isCollection, isMap, isNode, isScalar, type LineCounter } from './yaml.ts'

export type Path = readonly PropertyKey[]

/** `members[1].roles` */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')

/** The line of a value, or of the key that is meant; of what should hold it where it is missing. */
export function lineOf(document: Document, lines: LineCounter, path: Path, key?: string): number {
  const offset =
    (key === undefined ? undefined : keyOffset(document.getIn(path, true), key)) ?? offsetOf(document, path)
  return lines.linePos(offset).line
}

function keyOffset(node: unknown, key: string): number | undefined {
  if (!isMap(node)) return undefined
  const found = node.items.map((pair) => pair.key).find((candidate) => isScalar(candidate) && candidate.value === key)
  return isNode(found) ? found.range?.[0] : undefined
}

function offsetOf(document: Document, path: Path): number {
  for (let end = path.length; end > 0; end -= 1) {
    const parent = end === 1 ? document.contents : document.getIn(path.slice(0, end - 1), true)
    const node = document.getIn(path.slice(0, end), true)
    if (isNode(node)) return keyOffset(parent, String(path[end - 1])) ?? node.range?.[0] ?? 0
  }
  return isCollection(document.contents) ? (document.contents.range?.[0] ?? 0) : 0
}
