// Alone in its file, so that a bundle loads the library for those commands only that read or write a document.

export { Document, isAlias, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml'
