export { createAiSdk } from './ui-writer.ts'
export { ANSWERED_OUTPUT } from './ui-message.ts'
export { uiMessagesFormat } from './ui-messages-format.ts'
export { aiSdkReader } from './ui-reader.ts'
