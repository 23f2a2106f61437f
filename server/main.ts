/** The library: make the app from settings and parts, without listening, or start the whole service. */
export { type App, createApp } from './app.ts'
export { type Config, ConfigError, type Environment, loadConfig, parseConfig } from './config.ts'
export { applyMigrations, openDatabase } from './database.ts'
export { connect } from './db/connect.ts'
export type { Deps } from './deps.ts'
export { createLog } from './log.ts'
export { migrateDatabase, serve } from './serve.ts'
export { createParts, type Service, startService } from './start.ts'
