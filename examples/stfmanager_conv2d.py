"""A training as S-TFManager's form asks for it: six positional arguments,
and the CSV below results/.  stfm runs such a script as it is:

stfm-submit -J conv2d --args=positional batch_size=32,64 \\
    learning_rate=1e-3,1e-2 epochs=10 early_stopping=3 -- \\
    .venv/bin/python examples/stfmanager_conv2d.py
"""
import sys

import tensorflow
from sklearn.datasets import load_digits

job_id_param = str(sys.argv[1])
task_id_param = str(sys.argv[2])
batch_size_param = int(sys.argv[3])
learning_rate_param = float(sys.argv[4])
epochs_param = int(sys.argv[5])
early_stopping_param = float(sys.argv[6])

digits = load_digits()
images = digits.images.reshape(-1, 8, 8, 1) / 16
labels = digits.target

model = tensorflow.keras.Sequential([
    tensorflow.keras.layers.Input((8, 8, 1)),
    tensorflow.keras.layers.Conv2D(32, 3, padding='same', activation='relu'),
    tensorflow.keras.layers.Conv2D(32, 3, padding='same', activation='relu'),
    tensorflow.keras.layers.Conv2D(64, 3, activation='relu'),
    tensorflow.keras.layers.MaxPooling2D(),
    tensorflow.keras.layers.Flatten(),
    tensorflow.keras.layers.Dense(64, activation='relu'),
    tensorflow.keras.layers.Dense(10, activation='softmax'),
])
model.compile(
    optimizer=tensorflow.keras.optimizers.Adam(learning_rate_param),
    loss='sparse_categorical_crossentropy', metrics=['accuracy'])

csv_logger = tensorflow.keras.callbacks.CSVLogger(f'results/{job_id_param}/{task_id_param}/{task_id_param}.csv', separator=',', append=False)
early_stopping = tensorflow.keras.callbacks.EarlyStopping(
    monitor='val_loss', patience=early_stopping_param)

model.fit(images, labels, validation_split=0.25, epochs=epochs_param,
          batch_size=batch_size_param, verbose=2,
          callbacks=[csv_logger, early_stopping])
