export { listen } from './listen.ts'
export type { ListenOptions, RunningServer } from './listen.ts'
export { serve } from './serve.ts'
export type { Served, ServeOptions } from './serve.ts'
