#!/usr/bin/env node
import { createTerminal, toCrashText } from './terminal.ts'
import { runCommand } from './run-command.ts'

// Node would print the error with all its properties, including request headers.
process.on('uncaughtException', (error) => {
  // A module with its own handler decides whether the process continues.
  if (process.listenerCount('uncaughtException') > 1) return
  process.stderr.write(`${toCrashText(error)}\n`)
  process.exit(1)
})

process.exitCode = await runCommand(process.argv.slice(2), createTerminal())
