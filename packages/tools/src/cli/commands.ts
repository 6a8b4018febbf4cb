import type { CommandEntry } from './command.ts'

/** All commands, in the order of the help text. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  dev: {
    summary: 'Run Studio and the API on this machine, with your agents or a demo',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  init: {
    summary: 'Create a small app',
    load: async () => (await import('./commands/init.ts')).init,
  },
  serve: {
    summary: 'Serve your agents in production',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  sessions: {
    summary: 'List, show, export, delete and prune stored sessions',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  emulate: {
    summary: 'Run a scripted model behind the APIs of Anthropic and OpenAI',
    load: async () => (await import('./commands/emulate.ts')).emulate,
  },
  record: {
    summary: 'Record the responses of a model’s API through a proxy, without keys',
    load: async () => (await import('./commands/record.ts')).record,
  },
  replay: {
    summary: 'Serve recordings behind their API',
    load: async () => (await import('./commands/replay.ts')).replay,
  },
  convert: {
    summary: 'Convert a stream to another format',
    load: async () => (await import('./commands/convert.ts')).convert,
  },
  doctor: {
    summary: 'Check the effect of proxies on the streams of a deployed server',
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
