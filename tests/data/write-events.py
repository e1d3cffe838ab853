"""Write the event files beside this script: each with a writer of its own.

    python write-events.py DIR tf1|tf2|keras|torch...

Each writes into a directory of its own below DIR.
Made with TensorFlow (tf1, tf2, keras) and PyTorch (torch); the tests read what
is checked in, so neither is needed to run them.
"""
import sys

LOSS = [2.5, 1.25, 0.75, 1.0]


def tf1(directory):
    """TensorFlow 1: simple_value."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default():
        writer = tf.summary.FileWriter(directory)
    for step, loss in enumerate(LOSS):
        summary = tf.Summary()
        summary.value.add(tag="loss", simple_value=2 * loss)
        summary.value.add(tag="val_loss", simple_value=loss)
        writer.add_summary(summary, 10 * step)
    writer.close()


def tf2(directory):
    """TensorFlow 2: tensors of several types, among things that are no scalars."""
    import tensorflow as tf

    writer = tf.summary.create_file_writer(directory)
    with writer.as_default():
        tf.summary.text("note", "what was tried", step=0)
        for step, loss in enumerate(LOSS):
            tf.summary.scalar("val_loss", loss, step=10 * step)
            tf.summary.histogram("weights", [0.0, 1.0, loss], step=10 * step)
            for name in "float16", "bfloat16", "float64", "int32", "int64":
                value = tf.cast(tf.constant(4 * loss), name)
                tf.summary.write(name, value, step=10 * step)
    writer.close()


def keras(directory):
    """Keras's callback: training and validation in directories of their own."""
    import numpy
    import tensorflow as tf

    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile(loss="mse")
    x = numpy.random.rand(32, 2)
    callback = tf.keras.callbacks.TensorBoard(directory, write_graph=False)
    model.fit(x, x.sum(1), validation_split=0.25, epochs=3, verbose=0,
              callbacks=[callback])


def torch(directory):
    """PyTorch."""
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(directory)
    for step, loss in enumerate(LOSS):
        writer.add_scalar("Loss/train", 2 * loss, 10 * step)
        writer.add_scalar("Loss/val", loss, 10 * step)
    writer.close()


if __name__ == "__main__":
    for kind in sys.argv[2:]:
        {"tf1": tf1, "tf2": tf2, "keras": keras, "torch": torch}[kind](
            sys.argv[1] + "/" + kind)
