export { createJsonClient, readJsonBody } from './json-client.ts'
export type { JsonClient } from './json-client.ts'
export type { Page, PendingTool, ShownBlock, ShownImage } from './page.ts'
export { readXmlBody } from './xml-client.ts'
