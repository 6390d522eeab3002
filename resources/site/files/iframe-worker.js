/* Search from a folder: browsers start no worker for pages opened from files, so a hidden frame serves as one. */
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.ready = new Promise(resolve => { frame.onload = resolve })
      frame.srcdoc =
        `<script>postMessage = message => parent.postMessage(message, "*")</script><script src="${url}"></script>`
      document.body.append(frame)
      this.frame = frame
      addEventListener("message", event => {
        if (event.source === frame.contentWindow)
          this.dispatchEvent(new MessageEvent("message", { data: event.data }))
      })
    }
    postMessage(message) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: message })))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
