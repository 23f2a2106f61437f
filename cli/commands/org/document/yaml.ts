// A separate file, so that bundles load the library only for commands that read or write a document.

export { Document, isAlias, isCollection, isMap, isNode, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml'
