import type { CommandEntry } from './command.ts'

/** All commands, in the order of the help text. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  dev: {
    summary: 'Studio and the API on this machine, for your agents or a demo',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  init: {
    summary: 'A small app of your own to begin with',
    load: async () => (await import('./commands/init.ts')).init,
  },
  serve: {
    summary: 'Your agents, for production',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  sessions: {
    summary: 'List, show, export, delete and prune stored sessions',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  emulate: {
    summary: 'A scripted model behind the Anthropic Messages API and OpenAI’s',
    load: async () => (await import('./commands/emulate.ts')).emulate,
  },
  record: {
    summary: 'A proxy that records what a model’s API answers, without keys',
    load: async () => (await import('./commands/record.ts')).record,
  },
  replay: {
    summary: 'Recordings behind the API that they were made of',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  convert: {
    summary: 'Turn a stream of one format into another',
    load: async () => (await import('./commands/convert.ts')).convert,
  },
  doctor: {
    summary: 'Find out what proxies do to the streams of a deployed server',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  verify: {
    summary: 'Check a recorded stream against the protocol',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  conformance: {
    summary: 'Run conformance case files against this implementation, or another one',
    load: async () => (await import('./commands/conformance.ts')).conformance,
  },
}
