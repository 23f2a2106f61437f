// Alone in its file, so that a bundle loads the library for those commands only that read or write a document.

export type { Document, Node } from 'yaml'
export { isAlias, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, stringify, visit } from 'yaml'
