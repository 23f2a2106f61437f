import { createContext, useContext } from 'react'
import { type Keymap, keyGroups } from '../keymap/keymap.ts'

export const KeymapContext = createContext<Keymap>(keyGroups)

/** The keys as they are: the built-in ones, or those of the config file. */
export const useKeymap = (): Keymap => useContext(KeymapContext)
